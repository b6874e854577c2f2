/** The claims of a pasted token. They are decoded on this page, and only the platform judges the signature. */
import type { ComponentChildren } from "preact";
import { Section } from "../elements/page.tsx";
import { exactTime, relativeTime } from "../elements/time.tsx";
import { Value } from "./accepts.tsx";
import { type Claims, claimText, type Pasted, timeOf } from "./token_text.ts";

/** Claims that people look for first. */
const first = ["iss", "sub", "aud", "exp", "nbf", "iat"];

const byImportance = (claims: Claims): [string, unknown][] => {
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return Object.entries(claims).sort(([a], [b]) => rank(a) - rank(b));
};

export function Decoded({ pasted }: { pasted: Pasted }) {
  if (pasted.kind !== "token" && pasted.kind !== "claims") return null;
  return (
    <Section title="What it contains">
      <p class="pale">
        Decoded on this page. Whether the signature is right, only the platform can say.
      </p>
      {pasted.kind === "token" && <ClaimList title="Header" claims={pasted.header} />}
      <ClaimList title="Claims" claims={pasted.claims} />
    </Section>
  );
}

function ClaimList({ title, claims }: { title: string; claims: Claims }) {
  return (
    <>
      <h3 class="identities-small-title">{title}</h3>
      <dl class="identities-claims">
        {byImportance(claims).map(([name, value]) => (
          <div key={name}>
            <dt>
              <code dir="auto">{name}</code>
            </dt>
            <dd>
              <ClaimValue name={name} value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function ClaimValue({ name, value }: { name: string; value: unknown }): ComponentChildren {
  const time = timeOf(name, value);
  if (time === undefined) return <Value text={claimText(value)} />;
  return (
    <>
      {exactTime(time)} <span class="pale">({relativeTime(time, Date.now())})</span>
    </>
  );
}
