/** The differences between two images: their packages and their findings. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import type { Client } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Answer } from "../elements/states.tsx";
import { compareFindings } from "./compare_findings.ts";
import { comparePackages } from "./compare_packages.ts";
import { FindingList, PackageList } from "./difference_lists.tsx";
import { type Contents, type ImagePlace, readFindings, readPackages } from "./image_contents.ts";
import { namesOf, type Platform, platformFor, readPlatforms } from "./platforms.ts";

interface DifferencesProps {
  repo: string;
  /** The digest. Undefined or empty if the tag did not exist. */
  before: string | undefined;
  after: string | undefined;
}

export function Differences({ repo, before, after }: DifferencesProps) {
  if (!before || !after)
    return <p>The tag did not exist at one of the moments, so there is nothing to compare.</p>;
  if (before === after)
    return (
      <p>
        The tag pointed to the same image at both moments. Choose another moment in the picture to
        see what changed.
      </p>
    );
  return <PlatformDifferences repo={repo} before={before} after={after} />;
}

type Sides = Record<"before" | "after", string>;

/** The images of one platform, if the tag pointed to images for several. */
function PlatformDifferences({ repo, before, after }: Sides & { repo: string }) {
  const client = useClient();
  const { get, set } = useParameters();
  const query = useQuery({
    queryKey: ["platforms", repo, before, after],
    queryFn: () => readPlatforms(client, repo, [before, after]),
    staleTime: 300_000,
  });
  return (
    <Answer query={query} lines={3}>
      {([old = [], current = []]) => {
        const platform = platformFor(get("platform"), [old, current]);
        const names = namesOf([old, current]);
        const placeOf = (digest: string, platforms: Platform[]): ImagePlace => {
          const own = platforms.find(({ name }) => name === platform)?.digest;
          return { repo, digests: own === undefined ? [digest] : [own, digest] };
        };
        const places = { before: placeOf(before, old), after: placeOf(after, current) };
        return (
          <>
            {names.length > 1 && (
              <SelectField
                label="Platform"
                value={platform}
                options={names.map((name) => [name, name] as const)}
                onChange={(name) => set({ platform: name })}
              />
            )}
            <ContentDifferences {...places} />
          </>
        );
      }}
    </Answer>
  );
}

type Places = Record<"before" | "after", ImagePlace>;

/** The packages and the findings of two images that differ. */
export function ContentDifferences(places: Places) {
  return (
    <>
      <Part title="Packages" what="an SBOM" {...places} read={readPackages}>
        {(old, current) => <PackageList {...comparePackages(old, current)} />}
      </Part>
      <Part title="Findings" what="a vulnerability report" {...places} read={readFindings}>
        {(old, current) => <FindingList {...compareFindings(old, current)} />}
      </Part>
    </>
  );
}

interface PartProps<Row> extends Places {
  title: string;
  /** The document that the rows come from, with its article. */
  what: string;
  read: (client: Client, image: ImagePlace) => Promise<Contents<Row>>;
  children: (before: Row[], after: Row[]) => ComponentChildren;
}

function Part<Row>({ title, what, before, after, read, children }: PartProps<Row>) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["image contents", title, before, after],
    queryFn: () => Promise.all([read(client, before), read(client, after)]),
    staleTime: 60_000,
  });
  const nameOf = ({ digests: [digest = ""] }: ImagePlace) => digest;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <Answer query={query} lines={3}>
        {([old, current]) => {
          if (old.kind === "found" && current.kind === "found")
            return children(old.rows, current.rows);
          const images = [
            [nameOf(before), old.kind],
            [nameOf(after), current.kind],
          ] as const;
          return <Missing what={what} images={images} />;
        }}
      </Answer>
    </section>
  );
}

interface MissingProps {
  what: string;
  images: readonly (readonly [digest: string, kind: Contents<unknown>["kind"]])[];
}

/** Says which of the two images cannot be compared, and why. */
function Missing({ what, images }: MissingProps) {
  const without = images.filter(([, kind]) => kind === "missing");
  const long = images.filter(([, kind]) => kind === "too many");
  return (
    <>
      {without.length === images.length && <p>Neither image has {what}.</p>}
      {without.length === 1 &&
        without.map(([digest]) => (
          <p key={digest}>
            The image <code title={digest}>{shortDigest(digest)}</code> does not have {what}.
          </p>
        ))}
      {long.map(([digest]) => (
        <p key={digest}>
          The image <code title={digest}>{shortDigest(digest)}</code> has more entries than this
          page compares.
        </p>
      ))}
      {without.length > 0 && (
        <p class="pale">
          To see what changed, store <a href="/docs/affected-images">SBOMs and reports</a> of both.
        </p>
      )}
    </>
  );
}
