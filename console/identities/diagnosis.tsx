/** The answer of the doctor: the checks of the token, and how it compares with each identity. */
import { Link } from "wouter-preact";
import type {
  CheckOutcome,
  FieldComparison,
  IdentityDiagnosis,
  TokenAcceptance,
  TokenCheck,
} from "../../client/index.ts";
import { Badge, type Tone } from "../elements/badge.tsx";
import { Section } from "../elements/page.tsx";
import { addresses } from "../frame/addresses.ts";
import { Value } from "./accepts.tsx";
import { Difference, DifferenceLegend } from "./difference.tsx";
import { WarningList } from "./warnings.tsx";

const checkNames: Record<string, string> = {
  FORMAT: "Format",
  ALGORITHM: "Algorithm",
  CLAIMS: "Required claims",
  ISSUER: "Issuer",
  SIGNATURE: "Signature",
  EXPIRY: "Expiry",
  NOT_BEFORE: "Start",
  AUDIENCE: "Audience",
  ORIGIN: "Origin",
};

const outcomes: Record<string, readonly [Tone, string]> = {
  CHECK_OUTCOME_PASSED: ["good", "passed"],
  CHECK_OUTCOME_FAILED: ["bad", "failed"],
  CHECK_OUTCOME_NOT_CHECKED: ["warn", "not checked"],
};

function Outcome({ outcome = "CHECK_OUTCOME_UNSPECIFIED" }: { outcome: CheckOutcome | undefined }) {
  const [tone, word] = outcomes[outcome] ?? (["plain", "unknown"] as const);
  return <Badge tone={tone}>{word}</Badge>;
}

/** The checks of the token itself. */
export function Checks({ checks }: { checks: readonly TokenCheck[] }) {
  if (checks.length === 0) return null;
  return (
    <Section title="The token itself">
      <ul class="identities-checks">
        {checks.map(({ kind = "", outcome, description }) => (
          <li key={kind}>
            <span>
              <Outcome outcome={outcome} />
            </span>
            <strong>{checkNames[kind.replace("TOKEN_CHECK_KIND_", "")] ?? kind}</strong>
            <span class="identities-text">{description}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const acceptances: Record<string, readonly [Tone, string]> = {
  TOKEN_ACCEPTANCE_ACCEPTED: ["good", "accepted"],
  TOKEN_ACCEPTANCE_REFUSED: ["bad", "refused"],
  TOKEN_ACCEPTANCE_UNDECIDED: ["warn", "undecided"],
};

function Acceptance({
  what,
  value = "",
}: {
  what: string;
  value: TokenAcceptance | undefined | "";
}) {
  const [tone, word] = acceptances[value] ?? [];
  return word === undefined ? null : (
    <Badge tone={tone ?? "plain"}>
      {what}: {word}
    </Badge>
  );
}

/** An identity, compared with the token field by field. Fields that differ come first. */
export function Comparison({
  diagnosis,
  isOpen,
}: {
  diagnosis: IdentityDiagnosis;
  isOpen: boolean;
}) {
  const { name = "", exchange, bearer, description, fields = [] } = diagnosis;
  const { fieldsLeftOut, warnings = [] } = diagnosis;
  const isDifferent = ({ outcome }: FieldComparison) => outcome !== "CHECK_OUTCOME_PASSED";
  const equal = fields.filter((field) => !isDifferent(field));
  return (
    <details class="section-card identities-comparison" open={isOpen}>
      <summary>
        <h3>
          <bdi>{name}</bdi>
        </h3>
        <span class="identities-acceptances">
          <Acceptance what="Exchange" value={exchange} />
          <Acceptance what="Call" value={bearer} />
        </span>
        <span class="identities-text">{description}</span>
      </summary>
      {fields.filter(isDifferent).map((field) => (
        <DifferentField key={field.field} field={field} />
      ))}
      {equal.length > 0 && <EqualFields fields={equal} />}
      {fieldsLeftOut > 0 && <p class="pale">{fieldsLeftOut} further fields are left out.</p>}
      {warnings.length > 0 && (
        <details class="identities-more">
          <summary>
            {warnings.length} {warnings.length === 1 ? "warning" : "warnings"}: it accepts more than
            it seems to
          </summary>
          <WarningList warnings={warnings} />
        </details>
      )}
      <p class="identities-last">
        <Link href={addresses.identity(diagnosis.uid ?? "")}>Open the identity</Link>
      </p>
    </details>
  );
}

const nearMisses: Record<string, string> = {
  NEAR_MISS_CASE: "capital letters",
  NEAR_MISS_TRAILING_SLASH: "slash at the end",
  NEAR_MISS_SCHEME: "https:// at the beginning",
  NEAR_MISS_WHITESPACE: "spaces",
  NEAR_MISS_PARTIAL_MATCH: "matches only a part",
  NEAR_MISS_GLOB: "* as in a shell",
  NEAR_MISS_MISSING_CLAIM: "claim is missing",
  NEAR_MISS_CLAIM_TYPE: "type of the claim",
};

function DifferentField({ field: comparison }: { field: FieldComparison }) {
  const {
    field = "",
    isPattern,
    expected = [],
    actual = [],
    difference = [],
    nearMiss,
  } = comparison;
  const miss = nearMisses[nearMiss ?? ""];
  return (
    <div class="identities-field">
      <p>
        <code dir="auto">{field}</code> <Outcome outcome={comparison.outcome} />{" "}
        {miss && <Badge tone="info">{miss}</Badge>}
      </p>
      <p class="identities-text">{comparison.description}</p>
      {difference.length > 0 && (
        <p>
          <Difference segments={difference} isPattern={isPattern} />
          <br />
          <DifferenceLegend isPattern={isPattern} />
        </p>
      )}
      <dl class="identities-claims">
        <Values title={isPattern ? "Pattern of the identity" : "Identity"} values={expected} />
        <Values title="Token" values={actual} />
      </dl>
    </div>
  );
}

const Values = ({ title, values }: { title: string; values: readonly string[] }) => (
  <div>
    <dt>{title}</dt>
    <dd>
      {values.length === 0 && <span class="pale">nothing</span>}
      {values.map((text, index) => (
        <span key={index}>
          {index > 0 && " or "}
          <Value text={text} />
        </span>
      ))}
    </dd>
  </div>
);

function EqualFields({ fields }: { fields: readonly FieldComparison[] }) {
  return (
    <details class="identities-more">
      <summary>
        {fields.length} {fields.length === 1 ? "field matches" : "fields match"}
      </summary>
      <dl class="identities-claims">
        {fields.map(({ field = "", actual = [] }) => (
          <Values key={field} title={field} values={actual} />
        ))}
      </dl>
    </details>
  );
}
