/** The events of groups that a provisioning client manages. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ScimGroupSchema } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import { insertCompleteEvent } from "../../outbox/outbox.ts";
import type { ScimCall } from "./exchange.ts";
import type { ScimGroupRow } from "./group_rows.ts";

/** The users who join and leave a group, as ids in ascending order. */
export interface MemberDifference {
  added: string[];
  removed: string[];
}

/** The most uids in each list of an event. */
const maxListed = 1_000;

/** The names of the attributes that differ, in ascending order. */
export function changedGroupAttributes(
  before: ScimGroupRow,
  after: Pick<ScimGroupRow, "displayName" | "externalId">,
  { added, removed }: MemberDifference,
): string[] {
  return [
    ...(before.displayName === after.displayName ? [] : ["displayName"]),
    ...(before.externalId === after.externalId ? [] : ["externalId"]),
    ...(added.length + removed.length === 0 ? [] : ["members"]),
  ];
}

type GroupEventType =
  | "api.iam.scim_group.created.v1"
  | "api.iam.scim_group.updated.v1"
  | "api.iam.scim_group.deleted.v1";

/**
 * The event of a change to a group, with the group as it is afterwards. The actor is the identity provider, as in the
 * events of users.
 */
export function insertGroupEvent(
  call: ScimCall,
  type: GroupEventType,
  { uid, displayName, externalId, createTime, updateTime }: ScimGroupRow,
  { added, removed }: MemberDifference,
  changedAttributes: string[] = [],
) {
  const { config, db, now, provider, request } = call;
  const uidsOf = (ids: string[]) => ids.slice(0, maxListed).map((id) => `${provider}/${id}`);
  return insertCompleteEvent(
    { config, db, now, headers: request.headers },
    {
      type,
      path: "/scim/v2",
      audience: "customer",
      subject: uid,
      group: parentOf(provider),
      extensions: { identityprovider: provider },
      body: {
        desc: ScimGroupSchema,
        message: {
          uid,
          displayName,
          externalId: externalId ?? "",
          changedAttributes,
          addedCount: added.length,
          addedUserUids: uidsOf(added),
          removedCount: removed.length,
          removedUserUids: uidsOf(removed),
          createTime: timestampFromMs(createTime),
          updateTime: timestampFromMs(updateTime),
        },
      },
      actor: { identity: provider, act: {} },
    },
  );
}
