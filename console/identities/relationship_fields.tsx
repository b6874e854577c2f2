/** The fields for what an identity accepts: one form for each kind. */
import { Button } from "../elements/button.tsx";
import { SelectField, TextField, violationOf } from "../elements/fields.tsx";
import type { ClaimDraft, Draft, MatcherDraft } from "./drafts.ts";
import { principalName, principals } from "./kinds.ts";
import { MatcherField } from "./matcher_field.tsx";

export interface DraftProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** The error of the platform, which names fields. */
  error: Error | null;
}

/** The fields of the API that the forms show errors at. */
/** The fields that show what the platform says about them. */
export const shownFields = [
  ...["name", "description", "issuer", "issuer_pattern", "subject", "subject_pattern"],
  ...["audience", "audience_pattern", "claims", "claim_patterns", "issuer_keys"],
  ...["expiration_time", "audiences", "aws_account", "arn", "arn_pattern"],
  ...["user_id", "user_id_pattern", "service_principal"],
];

const bareHost =
  "The platform fetches the keys of the issuer from this address, which must be an https URL.";

/** The fields of the kind that the draft has. */
export function RelationshipFields(props: DraftProps) {
  switch (props.draft.kind) {
    case "claimMatch":
      return <ClaimMatchFields {...props} />;
    case "staticKeys":
      return <StaticKeysFields {...props} />;
    case "awsIdentity":
      return <AwsFields {...props} />;
    case "servicePrincipal":
      return <PrincipalField {...props} />;
    default:
      return (
        <p class="pale">
          No one can then assume the identity with a token from outside the platform.
        </p>
      );
  }
}

/** A matcher of the draft, with the error of whichever of its two fields the platform names. */
function DraftMatcher(
  props: DraftProps & {
    name: "issuer" | "subject" | "audience" | "arn" | "userId";
    label: string;
    /** The name of the field in the API. */
    field: string;
    hint?: string;
    required?: boolean;
  },
) {
  const { draft, onChange, error, name, label, field, hint, required = true } = props;
  return (
    <MatcherField
      label={label}
      hint={hint}
      matcher={draft[name]}
      required={required}
      error={violationOf(error, field) ?? violationOf(error, `${field}_pattern`)}
      onChange={(matcher: MatcherDraft) => onChange({ ...draft, [name]: matcher })}
    />
  );
}

function ClaimMatchFields(props: DraftProps) {
  const { draft, onChange, error } = props;
  return (
    <>
      <DraftMatcher {...props} name="issuer" label="Issuer" field="issuer" hint={bareHost} />
      <DraftMatcher {...props} name="subject" label="Subject" field="subject" />
      <DraftMatcher
        {...props}
        name="audience"
        label="Audience"
        field="audience"
        required={false}
        hint="If it is empty, the audience must be the issuer of the platform."
      />
      <ClaimFields
        claims={draft.claims}
        error={violationOf(error, "claims") ?? violationOf(error, "claim_patterns")}
        onChange={(claims) => onChange({ ...draft, claims })}
      />
    </>
  );
}

function ClaimFields(props: {
  claims: readonly ClaimDraft[];
  error: string | undefined;
  onChange: (claims: ClaimDraft[]) => void;
}) {
  const { claims, error, onChange } = props;
  const replace = (position: number, claim: ClaimDraft) =>
    onChange(claims.map((other, index) => (index === position ? claim : other)));
  return (
    <fieldset class="identities-claim-fields">
      <legend>Other claims that the token must have</legend>
      {claims.map((claim, index) => (
        <div key={index} class="identities-claim-row">
          <TextField
            label="Claim"
            value={claim.name}
            placeholder="repository_id"
            maxLength={255}
            onInput={(name) => replace(index, { ...claim, name })}
          />
          <MatcherField
            label="Value"
            matcher={claim}
            onChange={(matcher) => replace(index, { ...claim, ...matcher })}
          />
          <Button onClick={() => onChange(claims.filter((_, position) => position !== index))}>
            Remove<span class="out-of-sight"> the claim {claim.name}</span>
          </Button>
        </div>
      ))}
      {error && <p class="field-error">{error}</p>}
      <Button onClick={() => onChange([...claims, { name: "", value: "", isPattern: false }])}>
        Add a claim
      </Button>
    </fieldset>
  );
}

function StaticKeysFields({ draft, onChange, error }: DraftProps) {
  const exact = (name: "issuer" | "subject" | "audience") => (value: string) =>
    onChange({ ...draft, [name]: { value, isPattern: false } });
  return (
    <>
      <TextField
        label="Issuer"
        hint="The exact issuer in the tokens. The platform fetches nothing from it."
        value={draft.issuer.value}
        required
        error={violationOf(error, "issuer")}
        onInput={exact("issuer")}
      />
      <TextField
        label="Subject"
        value={draft.subject.value}
        required
        error={violationOf(error, "subject")}
        onInput={exact("subject")}
      />
      <TextField
        label="Public keys of the issuer"
        hint="A JSON Web Key Set. For Kubernetes: kubectl get --raw /openid/v1/jwks"
        value={draft.keys}
        lines={6}
        required
        error={violationOf(error, "issuer_keys")}
        onInput={(keys) => onChange({ ...draft, keys })}
      />
      <TextField
        label="Keys expire"
        type="datetime-local"
        hint="At most 365 days after the identity was created. If it is empty, the keys expire then."
        value={draft.expiration}
        error={violationOf(error, "expiration_time")}
        onInput={(expiration) => onChange({ ...draft, expiration })}
      />
      <TextField
        label="Audience"
        hint="If it is empty, the audience must be the issuer of the platform."
        value={draft.audience.value}
        error={violationOf(error, "audiences") ?? violationOf(error, "audiences[0]")}
        onInput={exact("audience")}
      />
    </>
  );
}

function AwsFields(props: DraftProps) {
  const { draft, onChange, error } = props;
  return (
    <>
      <TextField
        label="Account"
        hint="The 12 digits of the AWS account."
        value={draft.account}
        required
        error={violationOf(error, "aws_account")}
        onInput={(account) => onChange({ ...draft, account })}
      />
      <DraftMatcher
        {...props}
        name="arn"
        label="ARN"
        field="arn"
        hint="As GetCallerIdentity returns it. For a role, it ends with the name of the session."
      />
      <DraftMatcher
        {...props}
        name="userId"
        label="User id"
        field="user_id"
        hint="As GetCallerIdentity returns it, such as AROA… and the session, or AIDA…"
      />
    </>
  );
}

function PrincipalField({ draft, onChange, error }: DraftProps) {
  return (
    <SelectField
      label="Service of the operator"
      value={draft.principal}
      options={principals.map((principal) => [principal, principalName(principal)] as const)}
      error={violationOf(error, "service_principal")}
      onChange={(principal) => onChange({ ...draft, principal })}
    />
  );
}
