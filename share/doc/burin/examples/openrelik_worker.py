# SPDX-License-Identifier: Apache-2.0
"""openrelik_worker.py - a task for OpenRelik: scans each image of a workflow with burin, and gives back its case file and a report.

It stands in src/tasks.py of a worker that was made from openrelik-worker-template, whose image has burin installed.
"""
import os
import subprocess

from openrelik_worker_common.file_utils import create_output_file
from openrelik_worker_common.task_utils import create_task_result, get_input_files

from .app import celery

TASK_NAME = "openrelik-worker-burin.tasks.scan"
TASK_METADATA = {
    "display_name": "burin: find files in images",
    "description": "Finds files in disk images by their content, deleted ones too.",
    "task_config": [
        {"name": "types", "label": "Types, comma-separated", "description": "Empty: those on by default", "type": "text", "required": False},
    ],
}


def run(words):
    """Runs burin. Status 1 says that some of the image could not be read, which the log in the case file tells."""
    done = subprocess.run(["burin", *words], capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"burin {words[0]}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


@celery.task(bind=True, name=TASK_NAME, metadata=TASK_METADATA)
def scan(self, pipe_result=None, input_files=None, output_path=None, workflow_id=None, task_config=None):
    output_files = []
    types = (task_config or {}).get("types")
    for image in get_input_files(pipe_result, input_files or []):
        case = create_output_file(output_path, display_name=image["display_name"] + ".burin", data_type="burin:case")
        report = create_output_file(output_path, display_name=image["display_name"] + ".csv", data_type="burin:report")
        self.send_event("task-progress", data={"scans": image["display_name"]})
        run(["scan", "--quiet", "--force", "--case", case.path, *(["--types", types] if types else []), image["path"]])
        run(["report", "--format", "csv", "--out", report.path, case.path])
        output_files += [file.to_dict() for file in (case, report) if os.path.exists(file.path)]
    return create_task_result(output_files=output_files, workflow_id=workflow_id, command="burin scan")
