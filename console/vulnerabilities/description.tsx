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

/** The words, and what else the record or the metadata contains. */
export interface Words {
  summary: string;
  details: string;
  references: string[];
  /** CVSS vectors with their types, such as `TYPE_CVSS_V3`. Only the metadata has them. */
  severities: { type?: string; score?: string }[];
  /** Packages, each with a version that fixes it. Only a record has them. */
  fixes: [name: string, version: string][];
}

const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");
const listOf = (value: unknown): JsonObject[] =>
  (Array.isArray(value) ? value : []).filter((item) => typeof item === "object" && item !== null);

/** Only addresses of the web become links. */
const isWeb = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);

function wordsOf({ summary, details, references, affected }: JsonObject): Words {
  const urls = listOf(references).map(({ url }) => textOf(url));
  return {
    summary: textOf(summary),
    details: textOf(details),
    references: [...new Set(urls.filter(isWeb))],
    severities: [],
    fixes: listOf(affected).flatMap(fixesOf),
  };
}

/** The versions that fix a package (OSV schema, `affected[].ranges[].events[].fixed`). A commit is not a version. */
function fixesOf(affected: JsonObject): Words["fixes"] {
  const name = textOf((affected.package as JsonObject | null | undefined)?.name);
  const events = listOf(affected.ranges).flatMap(({ type, events }) =>
    type === "GIT" ? [] : listOf(events),
  );
  return events.flatMap(({ fixed }): Words["fixes"] =>
    textOf(fixed) === "" ? [] : [[name, textOf(fixed)]],
  );
}

const isOfImage = ({ artifactType }: Advisory) => artifactType === "image";

const saysSomething = ({ summary, details }: Words) => summary !== "" || details !== "";

/** Reads the words. Undefined while they are on their way, and null if there are none. */
export function useWords(
  ids: readonly string[],
  advisories: readonly Advisory[],
): Words | null | undefined {
  const client = useClient();
  // A statement about an image has no words about the vulnerability, so other advisories come first.
  const inOrder = advisories.toSorted((a, b) => Number(isOfImage(a)) - Number(isOfImage(b)));
  const uids = inOrder.slice(0, maxRecords).map(({ uid }) => uid);
  const { data } = useQuery({
    queryKey: ["advisories", { words: uids, ids }],
    queryFn: async () => {
      const exported = uids.map((uid) =>
        client.advisoryExports.exportAdvisory({ uid, format: "osv" }).catch(() => ({})),
      );
      const words = (await Promise.all(exported)).map(wordsOf).find(saysSomething);
      if (words) return words;
      const request = { ids };
      const [known] = await client.securityAdvisory.listVulnerabilityMetadata(request).all(1);
      if (!known) return null;
      const published = { ...wordsOf({ ...known }), severities: known.severities ?? [] };
      return saysSomething(published) || published.severities.length > 0 ? published : null;
    },
    staleTime: 300_000,
  });
  return data;
}

export function Description({ words: { summary, details, references } }: { words: Words }) {
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
