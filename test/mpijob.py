#!/usr/bin/env python3
"""Check doc/mpijob.yaml by a schema, and print the command of its launcher.

    mpijob.py MANIFEST

The schema has the parts of kubeflow.org/v2beta1 and of pods that a training needs; other fields are
errors, so that a slip in a name is one.  Its types, enumerations and limits are those of the
CustomResourceDefinition of the mpi-operator.  What a schema cannot say follows it.

SPDX-License-Identifier: BSD-3-Clause
"""
import shlex
import sys

import jsonschema
import yaml

NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
WORDS = {"type": "array", "items": {"type": "string"}, "minItems": 1}
QUANTITY = {"type": "string", "pattern": "^[0-9]+(m|[KMGT]i?)?$"}
COUNT = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}


def fields(required, **optional):
    """An object of these fields and no others."""
    return {"type": "object", "additionalProperties": False, "required": list(required),
            "properties": required | optional}


def items(schema):
    return {"type": "array", "items": schema}


CONTAINER = fields(
    {"name": NAME, "image": {"type": "string", "minLength": 1}},
    command=WORDS, args=WORDS,
    securityContext=fields({}, runAsUser=COUNT, capabilities=fields({}, add=WORDS)),
    resources=fields({"limits": fields({"cpu": QUANTITY, "memory": QUANTITY})}),
    volumeMounts=items(fields({"name": NAME, "mountPath": {"type": "string", "pattern": "^/"}})))

VOLUME = fields({"name": NAME}, emptyDir={"type": "object"},
                persistentVolumeClaim=fields({"claimName": NAME})) | {"minProperties": 2, "maxProperties": 2}


def replicas(most):
    pods = fields({"containers": items(CONTAINER) | {"minItems": 1}}, volumes=items(VOLUME))
    return fields({"replicas": {"type": "integer", "minimum": 1, "maximum": most},
                   "template": fields({"spec": pods})},
                  restartPolicy={"enum": ["Never", "OnFailure"]})


MPIJOB = fields({
    "apiVersion": {"const": "kubeflow.org/v2beta1"},
    "kind": {"const": "MPIJob"},
    "metadata": fields({"name": NAME}, namespace=NAME),
    "spec": fields(
        {"mpiReplicaSpecs": fields({"Launcher": replicas(1), "Worker": replicas(2**31 - 1)})},
        slotsPerWorker={"type": "integer", "minimum": 1},
        mpiImplementation={"enum": ["OpenMPI", "Intel", "MPICH"]},
        sshAuthMountPath={"type": "string", "pattern": "^/"},
        runPolicy=fields({}, cleanPodPolicy={"enum": ["None", "Running", "All"]}, backoffLimit=COUNT,
                         ttlSecondsAfterFinished=COUNT, activeDeadlineSeconds=COUNT, suspend={"type": "boolean"}))})


def check(job):
    jsonschema.Draft7Validator.check_schema(MPIJOB)
    jsonschema.Draft7Validator(MPIJOB).validate(job)
    spec = job["spec"]
    launcher, worker = (spec["mpiReplicaSpecs"][key] for key in ("Launcher", "Worker"))
    # the name of the last pod is a label of DNS
    jsonschema.validate(f"{job['metadata']['name']}-worker-{worker['replicas'] - 1}", NAME)
    for pods in (launcher["template"]["spec"], worker["template"]["spec"]):
        volumes = [volume["name"] for volume in pods.get("volumes", [])]
        for container in pods["containers"]:
            mounts = [mount["name"] for mount in container.get("volumeMounts", [])]
            assert set(mounts) <= set(volumes), f"{container['name']}: {mounts} are not all among {volumes}"
    command = launcher["template"]["spec"]["containers"][0]
    words = command["command"] + command["args"]
    ranks = int(words[words.index("-n") + 1])
    slots = worker["replicas"] * spec["slotsPerWorker"]
    assert ranks == slots, f"{ranks} ranks in {slots} slots"
    paths = [mount["mountPath"] for mount in worker["template"]["spec"]["containers"][0]["volumeMounts"]]
    for word in words:
        if word.startswith(("/data", "/scratch")):
            assert word.startswith(tuple(paths)), f"{word} is in no volume"
    limit = int(worker["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"].removesuffix("Gi")) * 2**30
    assert int(words[words.index("--memory") + 1]) * 10**6 < 0.9 * limit, "--memory is no less than the limit of the pod"
    return words


with open(sys.argv[1], encoding="utf-8") as file:
    try:
        print(shlex.join(check(yaml.safe_load(file))))
    except (AssertionError, jsonschema.ValidationError) as error:
        sys.exit(f"{sys.argv[1]}: {'.'.join(map(str, getattr(error, 'absolute_path', [])))}: "
                 f"{getattr(error, 'message', error)}")
