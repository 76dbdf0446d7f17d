# The protocol's own Python SDK as a client of the bridge. Does what standard input says, and prints what it sees: JSON, a line for each thing. Does no more than
# what is said, and ends with it.
import json
import sys

import anyio
import httpx2
from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, Request, RequestParams, Result
from pydantic import ConfigDict
from typing import Literal

address, token, mode, *extensions = sys.argv[1:]


def say(**what):
    print(json.dumps(what), flush=True)


async def progress(step, total, message):
    say(progress=message)


class Task(Result):
    model_config = ConfigDict(extra="allow")
    result_type: Literal["task"] = "task"
    taskId: str
    status: str


class Asked(Result):
    model_config = ConfigDict(extra="allow")


class Params(RequestParams):
    taskId: str


class Ask(Request[Params, str]):
    method: str = "tasks/get"
    name_param = "taskId"


class Tasks(ClientExtension):
    identifier = "io.modelcontextprotocol/tasks"

    def claims(self):
        return [ResultClaim(result_type="task", model=Task, resolve=self.resolve)]

    async def resolve(self, task, context):
        say(task=task.taskId, status=task.status)
        if "cancel" in extensions:
            await context.session.send_request(Ask(method="tasks/cancel", params=Params(taskId=task.taskId)), Asked)
        while True:
            told = await context.session.send_request(Ask(params=Params(taskId=task.taskId)), Asked)
            if told.model_extra["status"] == "completed":
                return CallToolResult.model_validate(told.model_extra["result"])
            await anyio.sleep(0.05)


def result(called):
    say(structured=called.structured_content, is_error=bool(called.is_error), text=[part.text for part in called.content])


async def looks(client):
    say(version=client.protocol_version)
    say(tools=[tool.name for tool in (await client.list_tools()).tools])
    say(prompts=[prompt.name for prompt in (await client.list_prompts()).prompts])
    say(policy=(await client.read_resource("guarded-sh://policy")).contents[0].text)


async def leaves(client, arguments, begun):
    """Calls, and cancels the call once a file is there."""
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: client.call_tool("execute_command", arguments))
        while not await anyio.Path(begun).exists():
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    say(left=True)


async def main():
    headers = {"Authorization": f"Bearer {token}"}
    tasks = [Tasks()] if "tasks" in extensions else None
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(address, http_client=http)
        async with Client(transport, mode=mode, extensions=tasks) as client:
            async for line in anyio.wrap_file(sys.stdin):
                match json.loads(line):
                    case {"looks": _}:
                        await looks(client)
                    case {"begun": begun, "arguments": arguments}:
                        await leaves(client, arguments, begun)
                    case {"tool": tool, "arguments": arguments}:
                        result(await client.call_tool(tool, arguments, progress_callback=progress))


def causes(error):
    """Returns what went wrong, of all that went wrong at once."""
    if isinstance(error, BaseExceptionGroup):
        return [why for inner in error.exceptions for why in causes(inner)]
    return [f"{type(error).__name__}: {error}"]


try:
    anyio.run(main)
except BaseException as error:
    say(failed=causes(error))
