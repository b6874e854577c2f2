/** How to use an identity: examples with its own values. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Identity } from "../../client/index.ts";
import { useSession } from "../data/platform.tsx";
import { CopyButton } from "../elements/copy.tsx";
import { TextField } from "../elements/fields.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { type Snippet, snippetsFor } from "./snippets.ts";

export function Usage({ identity }: { identity: Identity }) {
  const { addresses: platform } = useSession();
  const { uid, claimMatch, staticKeys, servicePrincipal } = identity;
  const named = claimMatch?.audience ?? staticKeys?.audiences?.[0];
  const [audience, setAudience] = useState(named ?? platform.issuerName);
  const snippets = snippetsFor({ uid, relationship: identity, audience, platform });
  if (servicePrincipal)
    return (
      <Empty title="A service of the operator uses this identity">
        <p>There is nothing to set up here.</p>
      </Empty>
    );
  if (snippets.length === 0)
    return (
      <Empty title="No workload can use this identity yet">
        <p>
          It accepts no token. <Link href={addresses.identity(uid, "edit")}>Edit it</Link> and
          choose what it accepts.
        </p>
      </Empty>
    );
  return (
    <>
      <p class="identities-lead pale">
        The platform gives a token for one hour at most. Nothing secret has to be stored. See{" "}
        <a href="/docs/tokens">how a workload gets a token</a>.
      </p>
      {claimMatch?.audiencePattern !== undefined && (
        <div class="form identities-audience">
          <TextField
            label="Audience of the token"
            hint={`The identity accepts audiences that match ${claimMatch.audiencePattern}. The examples use the one that you enter.`}
            value={audience}
            onInput={setAudience}
          />
        </div>
      )}
      {snippets.map((snippet) => (
        <Example key={snippet.title} snippet={snippet} />
      ))}
    </>
  );
}

function Example({ snippet: { title, about, text } }: { snippet: Snippet }) {
  return (
    <Section title={title} actions={<CopyButton text={text} what={`example for ${title}`} />}>
      <p class="pale identities-text">{about}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the example. */}
      <pre class="identities-example" tabIndex={0}>
        {text}
      </pre>
    </Section>
  );
}
