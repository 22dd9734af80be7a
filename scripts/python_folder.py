"""python_folder.py - print the folder below PREFIX where this Python looks for modules

    python3 scripts/python_folder.py PREFIX

/usr/lib/python3/dist-packages of Debian's, $HOME/.local/lib/python3.N/site-packages of a user, that of
a venv.  Where Python looks nowhere below PREFIX it is what `sysconfig` says of such a prefix.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import site
import sys
import sysconfig

prefix = os.path.abspath(sys.argv[1])
looks = sys.path + [site.getusersitepackages()] * (site.ENABLE_USER_SITE is not None)
below = [folder for folder in looks
         if folder.startswith(os.path.join(prefix, "lib"))
         and os.path.basename(folder) in ("site-packages", "dist-packages")]
print(below[0] if below else
      sysconfig.get_path("purelib", "posix_prefix", {"base": prefix, "platbase": prefix}))
