/** The advisories about a vulnerability, each with its events and as documents to download. */
import type { Advisory } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { saveFile } from "../data/save_file.ts";
import { Facts } from "../elements/page.tsx";
import { SaveButton } from "../elements/save_button.tsx";
import { Time } from "../elements/time.tsx";
import { Events, State } from "./events.tsx";

/** The formats, as the API and people name them. */
const formats = [
  ["osv", "OSV"],
  ["openvex", "OpenVEX"],
  ["csaf", "CSAF"],
] as const;

export function AdvisoryCards({ advisories }: { advisories: readonly Advisory[] }) {
  if (advisories.length === 0)
    return (
      <p class="pale">
        No advisory of this group is about it. <a href="/docs/vulnerabilities">Import one</a> to say
        whether it affects your images.
      </p>
    );
  return (
    <>
      {advisories.map((advisory) => (
        <AdvisoryCard key={advisory.uid} advisory={advisory} isOpen={advisories.length === 1} />
      ))}
    </>
  );
}

function AdvisoryCard({ advisory, isOpen }: { advisory: Advisory; isOpen: boolean }) {
  const { advisoryId = "", artifactName, artifactType, artifactArchitecture } = advisory;
  const { componentName, componentLocation, author, createTime, updateTime, events } = advisory;
  return (
    <details class="vulnerabilities-advisory" open={isOpen}>
      <summary>
        <bdi class="vulnerabilities-name">{advisoryId}</bdi>
        <State advisory={advisory} />
        <span class="pale vulnerabilities-name">
          <bdi>{artifactName}</bdi>
        </span>
      </summary>
      <Facts
        facts={[
          ["Artifact", <bdi key="artifact">{artifactName}</bdi>],
          ["Type", artifactType && <bdi>{artifactType}</bdi>],
          ["Architecture", artifactArchitecture && <bdi>{artifactArchitecture}</bdi>],
          ["Component", componentName !== artifactName && <bdi>{componentName}</bdi>],
          ["Location", componentLocation && <code>{componentLocation}</code>],
          ["Author", author && <bdi>{author}</bdi>],
          ["Created", <Time key="created" time={createTime} />],
          ["Changed", <Time key="changed" time={updateTime} />],
        ]}
      />
      <h3 class="vulnerabilities-heading">Events</h3>
      <Events events={events} />
      <p class="vulnerabilities-exports">
        {formats.map(([format, text]) => (
          <Export key={format} advisory={advisory} format={format} text={text} />
        ))}
      </p>
    </details>
  );
}

function Export({
  advisory: { uid, advisoryId = "advisory" },
  format,
  text,
}: {
  advisory: Advisory;
  format: string;
  text: string;
}) {
  const client = useClient();
  const save = async () => {
    const document = await client.advisoryExports.exportAdvisory({ uid, format });
    const name = `${advisoryId}.${format}.json`;
    saveFile(name, "application/json", `${JSON.stringify(document, null, 2)}\n`);
  };
  return <SaveButton save={save}>Download {text}</SaveButton>;
}
