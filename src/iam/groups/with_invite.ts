/** Creates an organization and the first invite into it, in one call of version 1. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { inArray } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { GroupInvites } from "../../../schema/gen/platform/iam/group_invites_pb.js";
import { Groups } from "../../../schema/gen/platform/iam/groups_pb.js";
import {
  type GroupInvite,
  GroupInviteSchema,
} from "../../../schema/gen/platform/iam/v2/group_invites_pb.js";
import { GroupSchema } from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { OWNER_ROLE, roles } from "../../../schema/tables/iam/roles.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { isUid, newUid } from "../../aip/uid_path.ts";
import { validate } from "../../aip/validation.ts";
import { requireTerms } from "../../auth/access.ts";
import type { Call, EventDraft } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit } from "../../outbox/commit.ts";
import { invokeV2 } from "../../rpc/version1.ts";
import { groupInvitesService, newInvite, ttlRequired } from "../group_invites/group_invites.ts";
import { limitFounding } from "../quotas/founding.ts";
import { requireGrantableRole } from "../role_bindings/parts.ts";
import { newGroup } from "./groups.ts";
import { groupEvent } from "./groups.v1.ts";
import { authorizeFounding } from "./parent.ts";
import { locateOrganization } from "./placement.ts";

interface GroupWithInvite {
  /** The name of the organization. */
  name: string;
  /** Without a role, the invite gives the role of an owner. */
  invite: MessageInitShape<typeof GroupInviteSchema>;
  /** Converts the event of the invite to that of version 1. */
  event: (draft: EventDraft) => EventDraft;
}

const selectRoles = (call: Call, role: string) =>
  call.db
    .select({
      uid: roles.uid,
      roleName: roles.name,
      roleDescription: roles.description,
      capabilities: roles.capabilities,
    })
    .from(roles)
    .where(inArray(roles.uid, [OWNER_ROLE, role]));

/** The caller after they have created the organization: an owner, within the limits of their token. */
function asFutureOwner(
  caller: Caller,
  { credential }: Call,
  group: string,
  owned: number[],
): Caller {
  const narrowed = credential?.capabilities;
  const held = narrowed ? owned.filter((capability) => narrowed.includes(capability)) : owned;
  return { ...caller, grants: [{ group, role: OWNER_ROLE, capabilities: new Set(held) }] };
}

/** Writes events as if the call had been this RPC of version 1. */
const asV1Call = (call: Call, method: Call["method"], event: GroupWithInvite["event"]): Call => ({
  ...call,
  origin: { method, event },
});

/**
 * Creates an organization, which the caller owns, and an invite for its next owner. Two calls could do the
 * same. This call does both or neither.
 */
export function createGroupWithInvite(
  { name, invite, event }: GroupWithInvite,
  anywhere: Call,
): Promise<GroupInvite> {
  const names = { name: "group", role_uid: "role", parent: "group" };
  const uid = newUid();
  const groupInvite = { ...invite, roleUid: invite.roleUid || OWNER_ROLE };
  const request = { parent: uid, groupInvite };
  const v2Call = { ...anywhere, mapping: { names } };
  return invokeV2(
    groupInvitesService,
    "createGroupInvite",
    request,
    v2Call,
    async (checked, callOfV2) => {
      const input = create(GroupInviteSchema, checked.groupInvite);
      if (!input.ttl) throw ttlRequired();
      if (isUid(name))
        throw invalidArgument(
          "name",
          "name must not be a uid; it is the name of the new organization",
        );
      const group = create(GroupSchema, { name });
      validate(GroupSchema, group);
      const needed = [...anywhere.capabilities, Capability.CAP_IAM_GROUPS_CREATE];
      const { caller, rows } = await authorizeFounding({ ...callOfV2, capabilities: needed }, [
        selectRoles(anywhere, input.roleUid),
      ]);
      const owned = rows[0].find((role) => role.uid === OWNER_ROLE)?.capabilities ?? [];
      const owner = asFutureOwner(caller, anywhere, uid, owned);
      const wanted = rows[0].find((role) => role.uid === input.roleUid);
      const role = requireGrantableRole(wanted, owner, uid, "role_uid");
      const { call, before } = await locateOrganization(anywhere, caller, uid);
      const within = await limitFounding(call, caller);
      const made = newGroup(asV1Call(call, Groups.method.create, groupEvent), owner, group, {
        uid,
      });
      const inviting = asV1Call(call, GroupInvites.method.create, event);
      const invited = await newInvite(inviting, owner, uid, { input, ttl: input.ttl, role });
      // A group for which no document is accepted yet.
      await requireTerms(callOfV2, uid);
      const statements = [...within, ...before, ...made.statements, ...invited.statements];
      await commit(call, statements as typeof made.statements);
      return invited.message;
    },
  );
}
