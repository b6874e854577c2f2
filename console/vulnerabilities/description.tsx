/**
 * The words of others about a vulnerability. They come from the OSV record of an advisory, or from the metadata that the
 * operator publishes, and stay plain text.
 */
import { useQuery } from "@tanstack/preact-query";
import type { Advisory, JsonObject } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { LongText } from "../elements/long_text.tsx";

/** The advisories whose records are looked at, because each is a request. */
const maxRecords = 3;

/** The references that show. */
const maxReferences = 20;

interface Words {
  summary: string;
  details: string;
  references: string[];
}

const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");

/** Only addresses of the web become links. */
const isWeb = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);

function wordsOf({ summary, details, references }: JsonObject): Words {
  const urls = (Array.isArray(references) ? references : []).map((reference: unknown) =>
    textOf((reference as { url?: unknown } | null)?.url),
  );
  return {
    summary: textOf(summary),
    details: textOf(details),
    references: [...new Set(urls.filter(isWeb))],
  };
}

const saysSomething = ({ summary, details }: Words) => summary !== "" || details !== "";

export function Description({ id, advisories }: { id: string; advisories: readonly Advisory[] }) {
  const client = useClient();
  const uids = advisories.slice(0, maxRecords).map(({ uid }) => uid);
  const { data } = useQuery({
    queryKey: ["advisories", { words: uids, id }],
    queryFn: async () => {
      const exported = uids.map((uid) =>
        client.advisoryExports.exportAdvisory({ uid, format: "osv" }).catch(() => ({})),
      );
      const words = (await Promise.all(exported)).map(wordsOf).find(saysSomething);
      if (words) return words;
      const request = { ids: [id] };
      const [known] = await client.securityAdvisory.listVulnerabilityMetadata(request).all(1);
      const published = wordsOf({ ...known });
      return saysSomething(published) ? published : null;
    },
    staleTime: 300_000,
  });
  if (!data) return null;
  const { summary, details, references } = data;
  return (
    <div class="vulnerabilities-words">
      {summary !== "" && (
        <p class="vulnerabilities-summary">
          <LongText text={summary} />
        </p>
      )}
      {details !== "" && (
        <p class="vulnerabilities-details">
          <LongText text={details} />
        </p>
      )}
      {references.length > 0 && <References urls={references} />}
    </div>
  );
}

/** A long address is cut, so that it does not fill the page. */
const shortened = (url: string) => (url.length > 200 ? `${url.slice(0, 200)}…` : url);

function References({ urls }: { urls: readonly string[] }) {
  return (
    <>
      <h3 class="vulnerabilities-heading">References</h3>
      <ul class="vulnerabilities-references">
        {urls.slice(0, maxReferences).map((url) => (
          <li key={url}>
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              <bdi>{shortened(url)}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
