"""
title: Throughline
description: Shows under each answer what the model was sent of the conversation.
required_open_webui_version: 0.5.0
"""

import asyncio
import json
from urllib.parse import quote
from urllib.request import Request, urlopen

from pydantic import BaseModel, Field


class Filter:
    class Valves(BaseModel):
        server: str = Field(default="http://127.0.0.1:4170", description="The address of Throughline.")
        key: str = Field(default="", description="A key with the scope inspect, where the server wants one.")

    def __init__(self):
        self.valves = self.Valves()

    async def outlet(self, body: dict, __event_emitter__=None, __metadata__: dict | None = None) -> dict:
        chat = body.get("chat_id") or (__metadata__ or {}).get("chat_id")
        # Temporary chats have no name of their own on the server.
        if not chat or chat.startswith("local:") or __event_emitter__ is None:
            return body
        try:
            call = await asyncio.to_thread(last_call, self.valves.server, self.valves.key, chat)
        except (OSError, ValueError):
            call = None
        if call:
            status = {"description": tell(call), "done": True}
            await __event_emitter__({"type": "status", "data": status})
        return body


def last_call(server: str, key: str, chat: str) -> dict | None:
    address = f"{server.rstrip('/')}/throughline/v1/conversations/{quote(chat, safe='')}"
    headers = {"authorization": f"Bearer {key}"} if key else {}
    with urlopen(Request(address, headers=headers), timeout=5) as answer:
        return json.load(answer).get("latest", {}).get("call")


def tell(call: dict) -> str:
    fates = call["counts"]
    counted = lambda *names: sum(fates.get(name, 0) for name in names)
    return (
        f"{call['predicted']} of {call['window']} tokens"
        f" · {counted('kept', 'altered', 'moved')} messages sent"
        f", {counted('recalled')} recalled"
        f", {counted('cleared', 'digested', 'omitted')} left out"
    )
