/** Finds the one change that gives a missing access. */
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  AccessFix_Kind as Fix,
  AccessMiss_Kind as Miss,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import { isWithin } from "../../auth/grants.ts";
import type { Case, FoundMiss } from "./case.ts";

/**
 * The role with the fewest capabilities that has all of these. Roles with `CAP_INTERNAL` do
 * not count, because only the operator can give them.
 */
function leastRole({ roles }: Case, capabilities: number[]) {
  return roles
    .filter((role) => !role.capabilities.includes(Capability.CAP_INTERNAL))
    .filter((role) => capabilities.every((capability) => role.capabilities.includes(capability)))
    .toSorted(
      (a, b) =>
        a.capabilities.length - b.capabilities.length ||
        parentOf(a.uid).length - parentOf(b.uid).length ||
        (a.name < b.name ? -1 : 1),
    )[0];
}

/** Whether the limits of the token exclude the resource or the capabilities, whatever the identity has. */
function isExcluded({ question }: Case): boolean {
  const { credential, capabilities, resource } = question;
  const limits = credential.capabilities;
  const isLimited =
    limits !== undefined && !capabilities.every((capability) => limits.includes(capability));
  return isLimited || !isWithin(credential, resource);
}

/** The fix for a miss. `subject` is the identity of the question. */
export function fixOf(accessCase: Case, miss: FoundMiss, subject: string | undefined) {
  const { kind, missing, pending } = miss;
  const isPerson = subject !== undefined && parentOf(subject) === "";
  const base = {
    identityUid: subject ?? "",
    groupUid: accessCase.group,
    needsOtherToken: isExcluded(accessCase),
  };
  const role = leastRole(accessCase, missing);
  const named = { roleUid: role?.uid ?? "", roleName: role?.name ?? "" };
  if (kind === Miss.TOKEN_LIMITED) return { kind: Fix.USE_OTHER_TOKEN, needsOtherToken: true };
  if (kind === Miss.PENDING && pending) {
    return {
      ...base,
      kind: Fix.ACCEPT_ROLE_BINDING,
      roleBindingUid: pending.uid,
      groupUid: pending.group,
    };
  }
  if (kind === Miss.BLOCKED) {
    const grant = missing.length > 0 ? { groupUid: accessCase.group, ...named } : { groupUid: "" };
    return { ...base, kind: Fix.ACTIVATE_PERSON, ...grant };
  }
  if (kind === Miss.OUT_OF_REACH && isPerson) {
    return { kind: Fix.USE_OTHER_TOKEN, needsOtherToken: true, identityUid: subject };
  }
  if (!role) return { ...base, kind: Fix.NO_ROLE };
  if (kind === Miss.OUT_OF_REACH || kind === Miss.NO_IDENTITY) {
    return { ...base, ...named, kind: Fix.CREATE_IDENTITY, identityUid: "", needsOtherToken: true };
  }
  const needsAcceptance = isPerson && !accessCase.isMember;
  return { ...base, ...named, kind: Fix.CREATE_ROLE_BINDING, needsAcceptance };
}
