/** The RPCs that have events, and the paths of their sources. */
import { expect, test } from "vitest";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { TagsService } from "../../schema/gen/platform/registry/v2/tags_pb.js";
import type { Call } from "../../src/auth/call.ts";
import type { Caller } from "../../src/auth/grants.ts";
import { insertEvent, insertEvents, sourcePath } from "../../src/outbox/outbox.ts";

test("the path in the source of an event is that of its RPC up to the first variable", () => {
  expect(sourcePath(ReposService.method.createRepo)).toBe("/registry/v2/repos");
  expect(sourcePath(TagsService.method.deleteTag)).toBe("/registry/v2/tags");
});

test("an RPC whose proto declares no event cannot write one", () => {
  const method = ReposService.method.listRepos;
  const call = { method } as unknown as Call;
  const caller: Caller = { identity: "i", name: "n", act: {}, grants: [] };
  const draft = { subject: "s", group: "g" };
  const text = "the proto of ListRepos must declare an event";
  expect(() => insertEvent(call, caller, draft)).toThrow(text);
  expect(() => insertEvents(call, caller, method, [draft])).toThrow(text);
});
