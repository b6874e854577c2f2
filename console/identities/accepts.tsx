/** The tokens that an identity accepts, in plain words. */
import type { ComponentChildren } from "preact";
import { CopyButton } from "../elements/copy.tsx";
import { exactTime, Time } from "../elements/time.tsx";
import { acceptsBearer, type Condition, conditionsOf, readKeys } from "./conditions.ts";
import {
  issuerName,
  type Kind,
  principalName,
  type Relationship,
  relationshipKind,
} from "./kinds.ts";

/** A text of someone else, which can be long, or written from right to left. */
export const Value = ({ text }: { text: string }) => (
  <code class="identities-value" dir="auto">
    {text}
  </code>
);

const verbs = { exact: "is exactly", pattern: "matches the pattern", "one-of": "is" } as const;

/** The end of a sentence about one condition, such as `is exactly x`. */
function Predicate({ condition: { comparison, values } }: { condition: Condition }) {
  return (
    <>
      {verbs[comparison]}{" "}
      {values.map((text, index) => (
        <span key={text}>
          {index > 0 && " or "}
          <Value text={text} />
        </span>
      ))}
    </>
  );
}

/** One sentence that says everything, such as `Accepts tokens of the issuer X whose subject is exactly Y.` */
function Summary({ relationship, issuerUrl }: AcceptsProps) {
  const kind = relationshipKind(relationship);
  if (kind === "none")
    return <p>No one can assume this identity with a token from outside the platform.</p>;
  if (kind === "servicePrincipal")
    return (
      <p>
        Only the service{" "}
        <strong>
          {principalName(relationship.servicePrincipal ?? "SERVICE_PRINCIPAL_UNSPECIFIED")}
        </strong>{" "}
        of the operator can assume this identity.
      </p>
    );
  const [first, ...others] = conditionsOf(relationship, issuerUrl).filter(
    ({ isDefault }) => !isDefault,
  );
  const beginnings: Partial<Record<Kind, ComponentChildren>> = {
    claimMatch: <>Accepts tokens whose issuer </>,
    staticKeys: <>Accepts tokens that a stored key verifies, whose issuer </>,
    awsIdentity: <>Accepts a request that a principal of AWS has signed, whose account </>,
  };
  return (
    <p class="identities-summary">
      {beginnings[kind]}
      {first && <Predicate condition={first} />}
      {others.map((condition, index) => (
        <span key={condition.subject}>
          {index === others.length - 1 ? " and whose " : ", whose "}
          <bdi>{condition.subject}</bdi> <Predicate condition={condition} />
        </span>
      ))}
      .
    </p>
  );
}

interface AcceptsProps {
  relationship: Relationship;
  /** The `iss` claim of the platform's own tokens. */
  issuerUrl: string;
}

/** The summary, each condition on a line of its own, and how a token gets in. */
export function Accepts({ relationship, issuerUrl }: AcceptsProps) {
  const conditions = conditionsOf(relationship, issuerUrl);
  return (
    <div class="identities-accepts">
      <Summary relationship={relationship} issuerUrl={issuerUrl} />
      {conditions.length > 0 && (
        <dl class="identities-conditions">
          {conditions.map((condition) => (
            <ConditionLine key={condition.subject} condition={condition} />
          ))}
        </dl>
      )}
      {relationship.staticKeys && <StoredKeys relationship={relationship} />}
      <WayIn relationship={relationship} />
    </div>
  );
}

function ConditionLine({ condition }: { condition: Condition }) {
  const { subject, claim, comparison, values, isDefault } = condition;
  const [value = ""] = values;
  const name = subject === "issuer" ? issuerName(value) : undefined;
  return (
    <div>
      <dt>
        {subject.charAt(0).toUpperCase() + subject.slice(1)}
        {claim && !subject.startsWith("claim ") && <code>{claim}</code>}
      </dt>
      <dd>
        <span>
          <Predicate condition={condition} />
          {comparison !== "one-of" && <CopyButton text={value} what={subject} />}
        </span>
        <small class="pale">
          {name && `${name}. `}
          {comparison === "pattern" &&
            "The pattern is a regular expression that must match the whole value. "}
          {isDefault && "The identity names no audience, so it must be the issuer of the platform."}
        </small>
      </dd>
    </div>
  );
}

function StoredKeys({ relationship: { staticKeys } }: { relationship: Relationship }) {
  if (!staticKeys) return null;
  const { issuerKeys, expirationTime } = staticKeys;
  const keys = readKeys(issuerKeys) ?? [];
  const isExpired = expirationTime !== undefined && Date.parse(expirationTime) <= Date.now();
  return (
    <dl class="identities-conditions">
      <div>
        <dt>Stored keys</dt>
        <dd>
          <span>
            {keys.length} public {keys.length === 1 ? "key" : "keys"}
            {keys.length > 0 && ": "}
            {keys.map(({ kid, kty, alg }, index) => (
              <span key={`${kid} ${index}`}>
                {index > 0 && ", "}
                <Value text={kid ?? "without an id"} /> ({[kty, alg].filter(Boolean).join(" ")})
              </span>
            ))}
            <CopyButton text={issuerKeys} what="keys" />
          </span>
          <small class="pale">The platform fetches nothing from this issuer.</small>
        </dd>
      </div>
      {expirationTime && (
        <div>
          <dt>Keys expire</dt>
          <dd>
            <span>
              <Time time={expirationTime} /> ({exactTime(expirationTime)})
            </span>
            <small class="pale">
              {isExpired
                ? "The identity accepts no token any more. Set a later time and the new keys, or create a new identity."
                : "To renew them, edit the identity. The latest possible time is 365 days after its creation. Later, create a new identity."}
            </small>
          </dd>
        </div>
      )}
    </dl>
  );
}

function WayIn({ relationship }: { relationship: Relationship }) {
  const kind = relationshipKind(relationship);
  if (kind === "none" || kind === "servicePrincipal") return null;
  return (
    <p class="pale">
      {acceptsBearer(relationship)
        ? "A call can send such a token directly if the API is its audience. It can also be exchanged for a token of the platform."
        : "Such a token works only in an exchange that names this identity."}
    </p>
  );
}
