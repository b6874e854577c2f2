/** One question about access with everything that was read for it. */
import type {
  AccessEntry,
  AccessMiss_Kind as Miss,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import type { GrantRow } from "../../auth/grant_rows.ts";
import { nearestOf } from "./entries.ts";
import type { BindingRow, Evidence, MappingRow, Question } from "./evidence.ts";

/** Whether the person who asks can list the role bindings of a group. */
type Sees = (group: string) => boolean;

/** The evidence of one question, with the names that the code of this folder uses. */
export interface Case {
  question: Question;
  sees: Sees;
  /** The grants that the call reads. Empty if the identity does not exist. */
  grantRows: GrantRow[];
  /** The role bindings of the identity on the path of the resource. */
  onPath: BindingRow[];
  /** Its other role bindings in the organization. */
  elsewhere: BindingRow[];
  mappings: MappingRow[];
  /** The nearest group of the resource that exists. */
  group: string;
  roles: Evidence[5];
  isMember: boolean;
  /** Whether no identity provider blocks the people behind the token on the path of the resource. */
  isOpen: boolean;
}

/** Sorts the evidence of a question. */
export function toCase(question: Question, evidence: Evidence, sees: Sees): Case {
  const [grantRows, onPath, elsewhere, mappings, groups, roles, [state]] = evidence;
  const isMember = state?.isMember === 1;
  const { bearer, login } = question.credential;
  // A login shows whether a person exists. Only people who have come into the organization are looked at.
  const isStranger = login !== undefined && "uid" in bearer && !bearer.uid.includes("/");
  return {
    question,
    sees,
    onPath,
    elsewhere,
    mappings,
    isMember,
    grantRows: isStranger && !isMember ? [] : grantRows,
    group: nearestOf(groups) ?? rootOf(question.resource),
    roles: roles.filter(({ uid }) => parentOf(uid) === "" || sees(parentOf(uid))),
    isOpen: state?.isOpen !== 0,
  };
}

/** A miss, and the capabilities that are missing without the limits of the token. */
export interface FoundMiss {
  kind: Miss;
  entry?: AccessEntry | undefined;
  missing: number[];
  /** The role binding that the person has to accept. */
  pending?: BindingRow;
}
