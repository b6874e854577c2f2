/** The fields for the requirements of a tag rule. */
import type { FindingSeverity } from "../../client/index.ts";
import { severities } from "../data/severities.ts";
import { capitalized } from "../elements/badge.tsx";
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import type { RuleDraft } from "./draft.ts";

export interface DraftFieldsProps {
  draft: RuleDraft;
  edit: (changed: Partial<RuleDraft>) => void;
  /** The answer of the platform to the values, if it refuses them. */
  error: Error | null;
}

const severityOptions: readonly (readonly [FindingSeverity | "", string])[] = [
  ["", "Findings do not count"],
  ...severities
    .map((severity) => [severity, severityText(severity)] as const)
    .filter(([severity]) => severity !== "FINDING_SEVERITY_UNKNOWN"),
];

function severityText(severity: FindingSeverity): string {
  const word = capitalized(severity.replace("FINDING_SEVERITY_", ""));
  return word === "Critical" ? word : `${word} or higher`;
}

/** The fields for what an image must have. */
export function RequirementFields({ draft, edit, error }: DraftFieldsProps) {
  const fault = violationOf(error, `${draft.kind}.requirement`);
  const isOfField = ["label", "no_findings", "signature", "signed_by"].some((field) =>
    violationOf(error, field),
  );
  return (
    <>
      <CheckField label="It has an SBOM" checked={draft.sbom} onChange={(sbom) => edit({ sbom })} />
      <SelectField
        label="No finding that has a fix"
        value={draft.minSeverity}
        options={severityOptions}
        onChange={(minSeverity) => edit({ minSeverity })}
        error={violationOf(error, "no_findings")}
      />
      {draft.minSeverity !== "" && (
        <CheckField
          label="An image without a report passes"
          checked={draft.allowUnknown}
          onChange={(allowUnknown) => edit({ allowUnknown })}
        />
      )}
      <TextField
        label="Label"
        value={draft.labelName}
        onInput={(labelName) => edit({ labelName })}
        hint="The name of a label of the image, such as org.example.approved. Empty for none."
        error={violationOf(error, "label.name")}
      />
      {draft.labelName !== "" && (
        <TextField
          label="Value of the label"
          value={draft.labelValue}
          onInput={(labelValue) => edit({ labelValue })}
          error={violationOf(error, "label.value")}
        />
      )}
      <TextField
        label="Issuer of a signature"
        value={draft.signatureIssuer}
        onInput={(signatureIssuer) => edit({ signatureIssuer })}
        hint="As in the certificate, such as https://accounts.example.com. Empty for no signature."
        error={violationOf(error, "signature.issuer")}
      />
      {draft.signatureIssuer !== "" && (
        <TextField
          label="Subject of the signature"
          value={draft.signatureSubject}
          onInput={(signatureSubject) => edit({ signatureSubject })}
          hint="An email address or a URI in the certificate. * stands for any characters."
          error={violationOf(error, "signature.subject")}
          required
        />
      )}
      <TextField
        label="Trust policy"
        value={draft.trustPolicyUid}
        onInput={(trustPolicyUid) => edit({ trustPolicyUid })}
        hint="The uid of a trust policy whose signature the image must have. Empty for none."
        error={violationOf(error, "signed_by.trust_policy_uid")}
      />
      {draft.trustPolicyUid !== "" && (
        <TextField
          label="Type of an attestation"
          value={draft.predicateType}
          onInput={(predicateType) => edit({ predicateType })}
          hint="Such as https://slsa.dev/provenance/v1. Empty for a signature."
          error={violationOf(error, "signed_by.predicate_type")}
        />
      )}
      {fault && !isOfField && <p class="field-error">{fault}</p>}
    </>
  );
}
