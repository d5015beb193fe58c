"""dbt's events, which tell where a job is: the same lines that dbt prints."""

from __future__ import annotations

from typing import Any

from dbt_common.events.event_manager_client import add_callback_to_manager

from entrepot.jobs import Job


def follow(job: Job) -> None:
    """Let a job be told of each model and test that begins and ends, until dbt's command is over.

    dbt forgets who listens when it begins another command.
    """

    def listen(event: Any) -> None:
        following = job.following
        if following is None:
            return
        if event.info.name == "LogStartLine":
            node = event.data.node_info
            following.begins(node.unique_id, node.node_name, event.data.index, event.data.total)
        elif event.info.name == "NodeFinished":
            unique_id = event.data.node_info.unique_id
            following.ends(unique_id, job.said_of(unique_id))
        elif event.info.name == "CommandCompleted":
            following.over()

    add_callback_to_manager(listen)
