import { expect, test } from "vitest";
import type { GroupsService } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { callAt } from "../../src/auth/call.ts";
import type { Handlers } from "../../src/rpc/service.ts";

type Groups = Handlers<typeof GroupsService>;

// `npm run check` compiles this file. It fails if a line below a comment has no error.
test("a handler whose request names no uid cannot use a database that it has not chosen", () => {
  // @ts-expect-error The organizations that ListGroups reads can be in any database.
  const forgotten: Groups["listGroups"] = async (_, { db }) => ({ groups: db ? [] : [] });
  const chosen: Groups["listGroups"] = async (_, call) => ({
    groups: callAt(call, "").db ? [] : [],
  });
  const named: Groups["getGroup"] = async (_, { db }) => ({ uid: db ? "" : "" });
  expect([forgotten, chosen, named]).toHaveLength(3);
});
