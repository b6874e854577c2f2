/** A new group as it is written, with what comes into being along with it. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { BatchItem } from "drizzle-orm/batch";
import { type Group, GroupSchema } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { OWNER_ROLE } from "../../schema/tables/roles.ts";
import { newUid } from "../aip/uid_path.ts";
import type { Call } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { insertEvent } from "../outbox/outbox.ts";

type Statement = BatchItem<"sqlite">;

/** What of a group a client sets. */
export const toColumns = (group: Group) => ({
  name: group.name,
  description: group.description,
  verified: group.verified,
  kind: group.kind as number,
});

/**
 * The group as it will be, and the statements that write it and tell of it. Without a group above, it
 * is an organization, and the caller is bound to `owner` there.
 */
export function newGroup(
  call: Call,
  caller: Caller,
  group: Group,
  {
    above,
    uid = newUid(above?.uid),
  }: { above?: typeof groups.$inferSelect | undefined; uid?: string },
): { message: Group; statements: [Statement, ...Statement[]] } {
  const times = { createTime: call.now, updateTime: call.now };
  const [kind, status] = above ? [above.kind, above.status] : [group.kind as number, 2];
  const message = create(GroupSchema, {
    ...group,
    uid,
    kind,
    status,
    createTime: timestampFromMs(call.now),
    updateTime: timestampFromMs(call.now),
  });
  const binding = { uid: newUid(uid), identityUid: caller.identity, roleUid: OWNER_ROLE };
  return {
    message,
    statements: [
      call.db.insert(groups).values({ uid, ...toColumns(message), status, ...times }),
      insertEvent(call, caller, { subject: uid, group: uid, body: { desc: GroupSchema, message } }),
      ...(above ? [] : [call.db.insert(roleBindings).values({ ...binding, ...times })]),
    ],
  };
}
