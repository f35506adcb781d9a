"""Bugs for the hunter to find: each an edit of one of the product's sources, awake only where a test
wakes it (PLANTED is then true)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plant:
    name: str
    what: str
    file: str
    find: str
    replace: str
    seeds: int = 200  # within which it is to be found


PLANTS = [
    Plant(
        name="reply-before-commit",
        what="the client is told before its command is durable",
        file="server/host/record_writer.cpp",
        find="""  if (status) status = recorder_->commit();
  if (!status) {
    fail(status.error());""",
        replace="""  if (PLANTED && !replies.empty()) deliver_(std::move(replies));
  if (status) status = recorder_->commit();
  if (!status) {
    fail(status.error());"""),
]
