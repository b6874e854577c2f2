/** Explains the access that the code of every call has decided, from what evidence.ts has read. */
import { create } from "@bufbuild/protobuf";
import {
  type AccessEntry,
  type AccessExplanation,
  AccessExplanationSchema,
  AccessMiss_Kind as Miss,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { Credential } from "../../auth/call.ts";
import type { GrantRow } from "../../auth/grant_rows.ts";
import { type Caller, holds, toCaller } from "../../auth/grants.ts";
import type { Case, FoundMiss } from "./case.ts";
import { bindingEntry, hiddenEntry, mappingEntry, reaches, toGrantRow } from "./entries.ts";
import type { BindingRow, Question } from "./evidence.ts";
import { fixOf } from "./fix.ts";
import { summaryOf } from "./summary.ts";

/** The caller of some of the grants, as every call sees it. Undefined if there are none. */
function callerOf(rows: GrantRow[], credential: Credential, resource: string): Caller | undefined {
  return rows.length > 0 ? toCaller(rows, credential, resource) : undefined;
}

/** Those of the capabilities that the caller does not have on the resource. */
function missingOf(rows: GrantRow[], credential: Credential, question: Question): number[] {
  const caller = callerOf(rows, credential, question.resource);
  return question.capabilities.filter(
    (capability) => !caller || !holds(caller, [capability], question.resource),
  );
}

/** The same token without its limits. A login remains limited to the group of its identity provider. */
function withoutLimits({ scopes: _, capabilities: __, ...rest }: Credential): Credential {
  return rest.login ? { ...rest, scopes: [parentOf(rest.login.identityProvider)] } : rest;
}

/** Judges a case. */
export function explain(accessCase: Case): AccessExplanation {
  const { question, grantRows } = accessCase;
  const { credential, capabilities, resource } = question;
  const missing = missingOf(grantRows, credential, question);
  const subject = subjectOf(accessCase);
  const base = {
    identityUid: subject ?? "",
    identityName: nameOf(accessCase, subject),
    resourceUid: resource,
    groupUid: accessCase.group,
    capabilities: [...capabilities],
    missingCapabilities: missing,
    paths: pathsOf(accessCase, missing),
    allowed: missing.length === 0,
  };
  const miss = missing.length === 0 ? undefined : missOf(accessCase, subject);
  const explanation = create(AccessExplanationSchema, {
    ...base,
    ...(miss && {
      miss: { kind: miss.kind, ...(miss.entry && { entry: miss.entry }) },
      fix: fixOf(accessCase, miss, subject),
    }),
  });
  explanation.summary = summaryOf(explanation);
  return explanation;
}

/**
 * The identity that the question is about. For a token of another issuer, it is the identity of the
 * organization, or the person. Undefined if there is neither.
 */
function subjectOf({ question, grantRows }: Case): string | undefined {
  const { credential, resource } = question;
  if ("uid" in credential.bearer) return credential.bearer.uid;
  const identity = callerOf(grantRows, credential, resource)?.identity ?? "";
  const isHere = parentOf(identity) === "" || rootOf(identity) === rootOf(resource);
  return identity !== "" && isHere ? identity : undefined;
}

/** The name of the identity, if a role binding or the list of its group shows it to the person who asks. */
function nameOf({ grantRows, onPath, elsewhere, sees }: Case, subject: string | undefined): string {
  if (subject === undefined) return "";
  const home = parentOf(subject);
  const isShown =
    (home !== "" && sees(home)) ||
    [...onPath, ...elsewhere].some(
      ({ identity, accepted, group }) => identity === subject && accepted && sees(group),
    );
  return isShown ? (grantRows.find(({ identity }) => identity === subject)?.name ?? "") : "";
}

/** For each capability that is not missing, the lowest grant with it. Visible ones come first. */
function pathsOf(accessCase: Case, missing: number[]) {
  const { question, grantRows, sees } = accessCase;
  const { credential, resource } = question;
  const ranked = grantRows
    .filter(({ group }) => group !== null)
    .toSorted(
      (a, b) =>
        Number(sees(b.group ?? "")) - Number(sees(a.group ?? "")) ||
        (b.group ?? "").length - (a.group ?? "").length,
    );
  const held = question.capabilities.filter((capability) => !missing.includes(capability));
  const byGrant = Map.groupBy(held, (capability) =>
    ranked.find(
      (row) =>
        missingOf([row], credential, { ...question, capabilities: [capability] }).length === 0,
    ),
  );
  return [...byGrant].map(([row, capabilities]) => ({
    entry: row ? entryOfGrant(accessCase, row, resource) : undefined,
    capabilities,
  }));
}

/** The role binding or role mapping of a grant. */
function entryOfGrant(
  accessCase: Case,
  { identity, group, role }: GrantRow,
  resource: string,
): AccessEntry {
  const binding = accessCase.onPath.find(
    (row) => row.identity === identity && row.group === group && row.role === role && row.accepted,
  );
  if (binding) return visibleEntry(accessCase, binding);
  const mapping = accessCase.mappings.find((row) => row.group === group && row.role === role);
  if (!mapping || !accessCase.sees(mapping.group))
    return hiddenEntry(group ?? resource, accessCase.group);
  return mappingEntry(mapping, accessCase.group);
}

const visibleEntry = ({ question, sees, group }: Case, row: BindingRow): AccessEntry =>
  sees(row.group) ? bindingEntry(row, question.resource, group) : hiddenEntry(row.group, group);

function missOf(accessCase: Case, subject: string | undefined): FoundMiss {
  const { question, grantRows, onPath } = accessCase;
  const { credential, resource } = question;
  const free = withoutLimits(credential);
  const missing = missingOf(grantRows, free, question);
  if (missing.length === 0)
    return { kind: Miss.TOKEN_LIMITED, missing: [...question.capabilities] };
  const { scopes: _, login, ...own } = free;
  const isBinding = (row: GrantRow) =>
    onPath.some(
      ({ accepted, group, role }) => accepted && group === row.group && role === row.role,
    );
  if (login && missingOf(grantRows.filter(isBinding), own, question).length === 0) {
    return { kind: Miss.TOKEN_LIMITED, missing };
  }
  if (subject === undefined || isKnownToBeGone(accessCase, subject)) {
    return { kind: Miss.NO_IDENTITY, missing };
  }
  const near = entryOf(accessCase, onPath, missing);
  const homes = [subject, ...(login ? [login.identityProvider] : [])].map(parentOf);
  if (!homes.every((home) => reaches(home, resource))) {
    return { kind: Miss.OUT_OF_REACH, missing, entry: near };
  }
  return bindingMissOf(accessCase, free, missing);
}

/** The miss of an identity that a role binding on the path would give access. */
function bindingMissOf(accessCase: Case, free: Credential, missing: number[]): FoundMiss {
  const { question, onPath, elsewhere, mappings, isOpen } = accessCase;
  const accepted = onPath.filter((row) => row.accepted);
  const wouldHave = (rows: BindingRow[]) =>
    missingOf([...accessCase.grantRows, ...rows.map(toGrantRow)], free, question).length === 0;
  if (wouldHave(accepted) || !isOpen) {
    const entry = entryOf(
      accessCase,
      accepted.filter((row) => row.isOpen === 0),
      missing,
    );
    return { kind: Miss.BLOCKED, missing: wouldHave(accepted) ? [] : missing, entry };
  }
  const pending = onPath.find((row) => !row.accepted && row.isOpen !== 0 && wouldHave([row]));
  if (pending)
    return { kind: Miss.PENDING, missing, pending, entry: visibleEntry(accessCase, pending) };
  const lacking = accepted.find((row) => accessCase.sees(row.group));
  if (lacking)
    return { kind: Miss.ROLE_LACKS_CAPABILITY, missing, entry: visibleEntry(accessCase, lacking) };
  const [mapping] = mappings.filter((row) => accessCase.sees(row.group));
  if (mapping) {
    return {
      kind: Miss.ROLE_LACKS_CAPABILITY,
      missing,
      entry: mappingEntry(mapping, accessCase.group),
    };
  }
  const entry = entryOf(accessCase, elsewhere, missing);
  return { kind: entry ? Miss.ELSEWHERE : Miss.NO_ROLE, missing, entry };
}

/** The first visible role binding in a list whose role has one of the capabilities. */
function entryOf(
  accessCase: Case,
  rows: BindingRow[],
  capabilities: number[],
): AccessEntry | undefined {
  const row = rows.find(
    (row) =>
      accessCase.sees(row.group) &&
      capabilities.some((capability) => row.capabilities?.includes(capability)),
  );
  return row && visibleEntry(accessCase, row);
}

/** Whether the identity does not exist in a group whose identities the person who asks can list. */
const isKnownToBeGone = ({ grantRows, sees }: Case, subject: string) =>
  parentOf(subject) !== "" && sees(parentOf(subject)) && grantRows.length === 0;
