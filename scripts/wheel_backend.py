"""wheel_backend.py - the wheel of the Python package, as pip asks for it (PEP 517)

    pip install .                  RANDSVM_LIBRARY=FILE pip wheel .

A wheel is a zip file of python/randsvm/, the library librandsvm.so.0 and what pip wants to know.  It is
for any Python 3 on systems like that of the library: manylinux with the version of glibc that the
library asks for.  `make library` builds the library; RANDSVM_LIBRARY names one that is built already.

SPDX-License-Identifier: BSD-3-Clause
"""
import base64
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SONAME = "librandsvm.so.0"

METADATA = """\
Metadata-Version: 2.1
Name: randsvm
Version: {version}
Summary: Support vector machines for large data: train, prove, predict, search, reduce
License: BSD-3-Clause
Keywords: support vector machine,SVM,LIBSVM,kernel,random projection
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: BSD License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
Provides-Extra: sklearn
Requires-Dist: scikit-learn>=1.2; extra == "sklearn"
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: randsvm
Root-Is-Purelib: false
Tag: {tag}
"""


def _read(name):
    with open(os.path.join(TOP, name), "rb") as file:
        return file.read()


def _library():
    """The bytes of the library, without the symbols that only debuggers read"""
    path = os.environ.get("RANDSVM_LIBRARY")
    if not path:
        subprocess.run(["make", f"-j{os.cpu_count()}", "library"], cwd=TOP, check=True)
        path = os.path.join(TOP, "lib", SONAME)
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, SONAME)
        shutil.copyfile(path, stripped)
        if shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", stripped], check=True)
        return _read(stripped)


def _tag(library):
    """manylinux_2_N_MACHINE of a library that asks for GLIBC_2.N; linux_MACHINE of any other libc's"""
    asked = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\0", library)]
    libc = f"manylinux_2_{max(asked)}" if asked else "linux"
    machine = sysconfig.get_platform().partition("-")[2]
    return f"py3-none-{libc}_{re.sub('[-.]', '_', machine)}"


def _write(path, files):
    """A wheel of these files, and the record of their checksums"""
    folder = next(name for name in files if name.endswith("/WHEEL")).rpartition("/")[0]
    record = ""
    for name, content in files.items():
        checksum = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={checksum},{len(content)}\n"
    record += f"{folder}/RECORD,,\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in {**files, f"{folder}/RECORD": record}.items():
            # the same bytes whenever it is made
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The name of the wheel, which is in wheel_directory then"""
    version = _read("VERSION").decode().strip()
    library = _library()
    tag = _tag(library)
    info = f"randsvm-{version}.dist-info"
    modules = sorted(glob.glob(os.path.join(TOP, "python/randsvm/*.py"))) + ["python/randsvm/py.typed"]
    files = {f"randsvm/{os.path.basename(module)}": _read(module) for module in modules}
    files[f"randsvm/{SONAME}"] = library
    files[f"{info}/COPYING"] = _read("COPYING")
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    files[f"{info}/METADATA"] = METADATA.format(
        version=version, readme=_read("README.md").decode()).encode()
    name = f"randsvm-{version}-{tag}.whl"
    _write(os.path.join(wheel_directory, name), files)
    return name


class UnsupportedOperation(Exception):
    """PEP 517's name for what a backend does not do"""


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the source of a release is what `make dist` writes")


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    raise SystemExit("wheel_backend.py: in a source tree modules run where they are: "
                     "make library && PYTHONPATH=python LD_LIBRARY_PATH=lib python3 ...")
