/**
 * The common content of OpenVEX and CSAF documents (Vulnerability Exploitability eXchange). A statement says
 * whether a vulnerability affects a product, and becomes an event of an advisory.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import {
  EventTypeFilter,
  AdvisoryEvent_FalsePositiveDetermination_Type as Reason,
  AdvisoryEvent_FalsePositiveDetermination_TypeSchema as ReasonSchema,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredSeverity } from "../../../schema/tables/vulnerabilities/advisories.ts";
import type {
  StoredComponent,
  StoredCsaf,
  StoredVulnerability,
} from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import type { AdvisoryStep } from "../osv/record.ts";

export const vexStatuses = ["not_affected", "affected", "fixed", "under_investigation"] as const;
export type VexStatus = (typeof vexStatuses)[number];

/** The reasons why a product is not affected, with the reason in the event of an advisory. */
const reasonOf = {
  component_not_present: Reason.COMPONENT_VULNERABILITY_MISMATCH,
  vulnerable_code_not_present: Reason.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE,
  vulnerable_code_not_in_execute_path: Reason.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH,
  vulnerable_code_cannot_be_controlled_by_adversary:
    Reason.VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY,
  inline_mitigations_already_exist: Reason.INLINE_MITIGATIONS_EXIST,
} as const;

/** The most characters of a note on a status. Longer ones are cut (CSAF 2.0, appendix C.2). */
export const maxNoteLength = 30_000;

/** The most characters of a description of a vulnerability. Longer ones are cut (CSAF 2.0, appendix C.2). */
export const maxDescriptionLength = 250_000;

/** The most characters of the name of an author. Longer ones are cut (CSAF 2.0, appendix C.2). */
export const maxAuthorLength = 1000;

/** The most statements, each about one product, in one import. D1 writes several rows for each. */
export const maxStatements = 2000;

export type Justification = keyof typeof reasonOf;
export const justifications = Object.keys(reasonOf) as Justification[];

/** The VEX justification for a reason (contract: advisory events). Undefined if there is none. */
export function justificationOf(reason: Reason): Justification | undefined {
  if (reason === Reason.VULNERABILITY_RECORD_ANALYSIS_CONTESTED) return vulnerableCodeNotPresent;
  if (reason === Reason.VULNERABLE_CODE_VERSION_NOT_USED) return vulnerableCodeNotPresent;
  return justifications.find((justification) => reasonOf[justification] === reason);
}

const vulnerableCodeNotPresent: Justification = "vulnerable_code_not_present";

/** A product or a part of one. */
export interface VexComponent {
  /** In the form of OpenVEX documents. */
  stored: StoredComponent;
  /** The identity of the thing, which is the same in every document. */
  key: string;
  /** Its name, and the other fields of an advisory about it. */
  name: string;
  artifactType: string;
  componentType: string;
  architecture: string;
  /** The version or the digest. Empty for all versions. */
  version: string;
  /** The package URL, otherwise the CPE name, otherwise any other identifier. */
  location: string;
}

/** A statement about one vulnerability in one product, or in one part of it. */
export interface VexStatement {
  /** Its place in the request: `documents[0].statements[2]`. */
  path: string;
  author: string;
  /** Milliseconds since 1970 in UTC. */
  time: number;
  vulnerability: StoredVulnerability;
  /** The published data about the vulnerability in the document. */
  summary: string;
  details: string;
  references: { type: number; url: string }[];
  severities: StoredSeverity[];
  product: VexComponent;
  /** The keys of the components between the product and its part, from the outside in. */
  between: string[];
  subcomponent: VexComponent | undefined;
  status: VexStatus;
  justification: Justification | undefined;
  /** No fix will come, although the product is affected. */
  isFinal: boolean;
  /** The reasoning, or the recommended action. */
  note: string;
  /** The data that only CSAF has. Null for a statement of OpenVEX. */
  csaf: StoredCsaf | null;
}

/** The component with the vulnerability: the part that the statement names, otherwise the product. */
export const componentOf = ({ product, subcomponent }: VexStatement) => subcomponent ?? product;

/** The event for a statement. */
export function toAdvisoryStep(statement: VexStatement): AdvisoryStep {
  const { time, note, status } = statement;
  const noted: JsonObject = note === "" ? {} : { note };
  switch (status) {
    case "under_investigation":
      return { type: EventTypeFilter.DETECTION, time, detail: { manual: {} } };
    case "affected": {
      const { FIX_NOT_PLANNED, TRUE_POSITIVE_DETERMINATION } = EventTypeFilter;
      const type = statement.isFinal ? FIX_NOT_PLANNED : TRUE_POSITIVE_DETERMINATION;
      return { type, time, detail: noted };
    }
    case "fixed": {
      // Without a package URL, the product is the platform of the component, which has a version of its own.
      const { product } = statement;
      const isPlatform = product.artifactType === "product";
      // The versions of a range are all fixed.
      const { version, stored } = isPlatform ? componentOf(statement) : product;
      const isOne = version !== "" && stored.range === undefined;
      const detail = isOne ? { fixedVersion: version, ...noted } : noted;
      return { type: EventTypeFilter.FIXED, time, detail };
    }
    case "not_affected": {
      const reason = statement.justification && reasonOf[statement.justification];
      const type = reason && ReasonSchema.value[reason]?.name;
      const detail = type ? { type, ...noted } : noted;
      return { type: EventTypeFilter.FALSE_POSITIVE_DETERMINATION, time, detail };
    }
  }
}
