/** The effect of a write of a role binding on the access of its identities. */
import { rootOf } from "../../aip/uid_path.ts";
import type { RoleWrite } from "../access_changes/access_changes.ts";

interface Bound {
  uid: string;
  identityUid: string;
  accepted: boolean;
}

/** The write of a binding at a group. A binding that is not accepted grants nothing. */
export function bindingWrite(
  group: string,
  before: Bound | undefined,
  after: (Bound & { roleUid: string; capabilities: number[] }) | undefined,
): RoleWrite {
  const named = [before, after].flatMap((bound) => (bound?.accepted ? bound.identityUid : []));
  return {
    group: group,
    organization: rootOf(group),
    identities: { named },
    removed: before ? [before.uid] : [],
    added: after?.accepted
      ? [
          {
            uid: "",
            group,
            role: after.roleUid,
            capabilities: after.capabilities,
            holder: { identity: after.identityUid },
          },
        ]
      : [],
  };
}
