/** The words of an explanation. */
import {
  type AccessEntry,
  type AccessExplanation,
  type AccessPath,
  AccessFix_Kind as Fix,
  AccessMiss_Kind as Miss,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import { capabilityLabel } from "../../auth/access.ts";

/** The most capabilities in a sentence. */
const maxNamed = 5;

function listOf(capabilities: readonly number[]): string {
  const names = capabilities.slice(0, maxNamed).map(capabilityLabel);
  const rest = capabilities.length - names.length;
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** The answer in one to three sentences, and the change that fixes a missing access. */
export function summaryOf(explanation: AccessExplanation): string {
  const { allowed, identityName, identityUid, missingCapabilities, resourceUid, paths } =
    explanation;
  const who = identityName || identityUid || "The token";
  if (allowed) {
    const ways = paths.map(pathText);
    return `${who} has ${listOf(explanation.capabilities)} on ${resourceUid}. ${ways.join(" ")}`.trim();
  }
  const first = `${who} does not have ${listOf(missingCapabilities)} on ${resourceUid}.`;
  return [first, missText(explanation), fixText(explanation)].filter(Boolean).join(" ");
}

const roleOf = ({ roleName, groupUid }: AccessEntry) => `the role ${roleName} on ${groupUid}`;

function pathText({ entry, capabilities }: AccessPath): string {
  const what = listOf(capabilities);
  if (!entry) return "";
  if (entry.hidden)
    return `A role on the group ${entry.groupUid}, which you cannot look into, gives ${what}.`;
  return `The ${sourceOf(entry)} gives ${roleOf(entry)}, which has ${what}.`;
}

function sourceOf(entry: AccessEntry): string {
  const { externalGroupId, externalGroupRoleMappingUid, scimGroupUid, scimGroupName } = entry;
  if (!externalGroupId) return `role binding ${entry.roleBindingUid}`;
  const scim = `SCIM group ${scimGroupName} of the identity provider ${parentOf(scimGroupUid)}`;
  const group = scimGroupUid ? scim : `external group ${externalGroupId}`;
  return `role mapping ${externalGroupRoleMappingUid} of the ${group}`;
}

function missText({ miss }: AccessExplanation): string {
  const entry = miss?.entry;
  switch (miss?.kind) {
    case Miss.NO_ROLE:
      return "It has no role there or on a group above that you can see.";
    case Miss.ROLE_LACKS_CAPABILITY:
      return entry ? `It has ${roleOf(entry)}, which does not have them all.` : "";
    case Miss.ELSEWHERE:
      return entry ? `It has ${roleOf(entry)}, which is not above the resource.` : "";
    case Miss.PENDING:
      return entry?.roleName
        ? `It has ${roleOf(entry)}, but has not accepted the role binding yet.`
        : "A role binding with them is not accepted yet.";
    case Miss.BLOCKED:
      return "An identity provider of a group there has deactivated this person or does not know them.";
    case Miss.OUT_OF_REACH:
      return "It belongs to a group that is not above the resource, and has no access outside that group.";
    case Miss.TOKEN_LIMITED:
      return "The identity has them, but the token is limited to other groups or capabilities.";
    case Miss.NO_IDENTITY:
      return "No identity of the organization accepts the token, or the identity no longer exists.";
    default:
      return "";
  }
}

function fixText({ fix }: AccessExplanation): string {
  const role = `the role ${fix?.roleName} on the group ${fix?.groupUid}`;
  const token = fix?.needsOtherToken ? " Also use a token whose limits include the call." : "";
  switch (fix?.kind) {
    case Fix.CREATE_ROLE_BINDING:
      return `To fix this, give it ${role}.${fix.needsAcceptance ? " The person must then accept it." : ""}${token}`;
    case Fix.ACCEPT_ROLE_BINDING:
      return `To fix this, let the person accept the role binding ${fix.roleBindingUid}.${token}`;
    case Fix.CREATE_IDENTITY:
      return `To fix this, create an identity in the group ${fix.groupUid}, and give it ${role}.`;
    case Fix.ACTIVATE_PERSON:
      return `To fix this, activate the person there, or log in through another identity provider.${fix.roleUid ? ` Also give the person ${role}.` : ""}`;
    case Fix.USE_OTHER_TOKEN:
      return "To fix this, use a token without these limits.";
    case Fix.NO_ROLE:
      return "No role that you can see has them. Create one, or ask the operator if they are internal.";
    default:
      return "";
  }
}
