/** The events of users that a provisioning client manages. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ScimUserSchema } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import { insertCompleteEvent } from "../../outbox/outbox.ts";
import type { ScimCall } from "./exchange.ts";
import { type ScimUserRow, toValues } from "./user_resource.ts";

/** The names of the attributes with different values, in ascending order. */
export function changedAttributes(before: ScimUserRow, after: ScimUserRow): string[] {
  const [old, next] = [toValues(before), toValues(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const text = (value: unknown) => JSON.stringify(value);
  return names.filter((name) => text(old[name]) !== text(next[name])).sort();
}

type UserEventType =
  | "api.iam.scim_user.created.v1"
  | "api.iam.scim_user.updated.v1"
  | "api.iam.scim_user.deleted.v1";

/**
 * The event of a change to a user, with the user as it is afterwards. The actor is the identity provider,
 * because a SCIM token does not belong to an identity.
 */
export function insertUserEvent(
  call: ScimCall,
  type: UserEventType,
  row: Omit<ScimUserRow, "identityUid"> & { identityUid?: string | null },
  changed: string[] = [],
) {
  const { uid, userName, externalId, active, identityUid } = row;
  const { config, db, now, provider, request } = call;
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
        desc: ScimUserSchema,
        message: {
          uid,
          userName,
          active,
          changedAttributes: changed,
          externalId: externalId ?? "",
          identityUid: identityUid ?? "",
          createTime: timestampFromMs(row.createTime),
          updateTime: timestampFromMs(row.updateTime),
        },
      },
      actor: { identity: provider, act: {} },
    },
  );
}
