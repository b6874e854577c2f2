/** The configuration of an image: how a container starts. */
import { useState } from "preact/hooks";
import type { ImageContents } from "../../client/index.ts";
import { Button } from "../elements/button.tsx";
import { formatCount } from "../elements/bytes.ts";
import { CopyButton } from "../elements/copy.tsx";
import { LongText } from "../elements/long_text.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { commandLine, settingsOf } from "./documents.ts";

export function Settings({ contents }: { contents: ImageContents }) {
  const settings = settingsOf(contents);
  const { entrypoint, command, environment, labels, ports, volumes } = settings;
  const isEmpty = environment.length === 0 && labels.length === 0;
  return (
    <Section title="Configuration">
      <Facts
        facts={[
          ["Entrypoint", <Code key="entrypoint" text={commandLine(entrypoint)} />],
          ["Command", <Code key="command" text={commandLine(command)} />],
          ["Working directory", <Code key="directory" text={settings.workingDirectory ?? "/"} />],
          ["User", settings.user ? <Code text={settings.user} /> : "root, because none is set"],
          ["Exposed ports", ports.length > 0 && <Code text={ports.join(", ")} />],
          ["Volumes", volumes.length > 0 && <Code text={volumes.join(", ")} />],
          ["Stop signal", settings.stopSignal && <Code text={settings.stopSignal} />],
        ]}
      />
      {!isEmpty && (
        <>
          <Named title="Environment" pairs={environment.map(toPair)} />
          <Named title="Labels" pairs={labels} />
        </>
      )}
    </Section>
  );
}

/** `NAME=value`, of which the value can contain more signs of equality. */
function toPair(text: string): [string, string] {
  const index = text.indexOf("=");
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function Code({ text }: { text: string }) {
  return text === "" ? (
    <span class="pale">none</span>
  ) : (
    <code class="images-value">
      <LongText text={text} />
    </code>
  );
}

function Named({ title, pairs }: { title: string; pairs: readonly [string, string][] }) {
  if (pairs.length === 0) return null;
  return (
    <>
      <h3 class="images-heading">{title}</h3>
      <Pairs label={title} pairs={pairs} />
    </>
  );
}

/** The pairs that show at first. Someone who builds an image can give it a hundred thousand. */
const firstPairs = 200;

/** Names and values of others, each on a line of its own. */
export function Pairs({
  label,
  pairs,
}: {
  label: string;
  pairs: readonly (readonly [string, string])[];
}) {
  const [isWhole, setWhole] = useState(pairs.length <= firstPairs);
  const shown = isWhole ? pairs : pairs.slice(0, firstPairs);
  return (
    <>
      <dl class="images-pairs" aria-label={label}>
        {shown.map(([name, value], index) => (
          <div key={index}>
            <dt>
              <LongText text={name} />
            </dt>
            <dd>
              <code class="images-value">
                <LongText text={value} />
              </code>
              {value !== "" && <CopyButton text={value} what={`value of ${name.slice(0, 80)}`} />}
            </dd>
          </div>
        ))}
      </dl>
      {!isWhole && (
        <Button onClick={() => setWhole(true)}>Show all {formatCount(pairs.length)} lines</Button>
      )}
    </>
  );
}
