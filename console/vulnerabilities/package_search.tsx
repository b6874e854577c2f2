/** Searches the SBOMs of a group for a package: which images contain it, and in which version. */
import { useLayoutEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { InvalidArgument, type Package } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { type RowWindow, useUncountedRows } from "../data/rows.ts";
import { commandOf } from "../data/shell.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { CheckFilter } from "../elements/check_filter.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { addresses } from "../frame/addresses.ts";
import { CommandLine } from "./command_line.tsx";
import type { GroupProps } from "./found.tsx";
import { ImageTimesFilter, useImageTimes } from "./image_times.tsx";
import { TagNames } from "./tag_names.tsx";

/** The search, as the address has it. */
interface Search {
  /** A name or a package URL. */
  package: string;
  from: string;
  below: string;
}

const isPurl = (text: string) => text.startsWith("pkg:");

export function PackageSearch({ group }: GroupProps) {
  const client = useClient();
  const { get, isOn } = useParameters();
  const search: Search = { package: get("package"), from: get("from"), below: get("below") };
  const isTaggedOnly = isOn("tagged");
  const { request: times, options } = useImageTimes();
  const rows = useUncountedRows<Package>({
    key: ["packages", { group, ...search, isTaggedOnly, times }],
    list: (position) =>
      client.packages.list({
        descendantsOf: group,
        ...(isPurl(search.package) ? { purl: search.package } : { name: search.package }),
        ...(search.from === "" ? {} : { from: search.from }),
        ...(search.below === "" ? {} : { below: search.below }),
        ...(isTaggedOnly ? { taggedOnly: true } : {}),
        ...times,
        ...position,
      }),
    enabled: search.package !== "",
  });
  return (
    <>
      <SearchForm search={search} error={rows.error} />
      {search.package === "" ? (
        <Empty title="Which images contain a package?">
          <p>
            Name a package, such as <code>log4j-core</code>, and the versions that you look for. The
            search covers the <a href="/docs/affected-images">SBOMs</a> of all images in this group.
          </p>
        </Empty>
      ) : (
        <Results rows={rows} command={containsCommand(search, { ...options, group })} />
      )}
    </>
  );
}

/** The search begins with the button or the Enter key, because a part of a name finds nothing. */
function SearchForm({ search, error }: { search: Search; error: Error | null }) {
  const { set } = useParameters();
  const [text, setText] = useState(search);
  useLayoutEffect(() => setText(search), [search.package, search.from, search.below]);
  return (
    <form
      class="vulnerabilities-search"
      onSubmit={(event) => {
        event.preventDefault();
        set({
          package: text.package.trim(),
          from: text.from.trim(),
          below: text.below.trim(),
        });
      }}
    >
      <TextField
        label="Package"
        hint="A whole name, or a package URL, such as pkg:npm/lodash@<4.17.21"
        value={text.package}
        onInput={(value) => setText({ ...text, package: value })}
        error={violationOf(error, "purl") ?? violationOf(error, "name")}
        required
      />
      <TextField
        label="From version"
        value={text.from}
        onInput={(from) => setText({ ...text, from })}
        error={violationOf(error, "from")}
      />
      <TextField
        label="Below version"
        value={text.below}
        onInput={(below) => setText({ ...text, below })}
        error={violationOf(error, "below")}
      />
      <Button type="submit" kind="primary">
        Search
      </Button>
    </form>
  );
}

interface ResultsProps {
  rows: RowWindow<Package>;
  /** The same search on the command line. Undefined if there is no such command. */
  command: string | undefined;
}

function Results({ rows, command }: ResultsProps) {
  const isFieldError =
    rows.error instanceof InvalidArgument && rows.error.fieldViolations.length > 0;
  if (isFieldError) return null;
  if (rows.error && rows.count === 0)
    return <ErrorNotice error={rows.error} retry={() => rows.retry()} />;
  return (
    <>
      <div class="toolbar">
        <ImageTimesFilter />
        <CheckFilter label="Tagged only" name="tagged" />
        <RowCount rows={rows} noun={["match", "matches"]} />
      </div>
      <Table
        label="Packages"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        empty={
          <Empty title="No image is known to contain it">
            <p>Only images with an SBOM are searched. The name must be complete.</p>
          </Empty>
        }
      />
      <CommandLine command={command} question="search" />
    </>
  );
}

const containsCommand = (
  { package: name, from, below }: Search,
  options: Readonly<Record<string, string>>,
) => commandOf("platformctl contains", name, { from, below, ...options });

const columns: Column<Package>[] = [
  {
    title: "Package",
    width: "minmax(8rem, 1.5fr)",
    cell: ({ name, namespace, purl }) => (
      <bdi title={purl}>{namespace ? `${namespace}/${name}` : name}</bdi>
    ),
  },
  {
    title: "Version",
    width: "minmax(5rem, 1fr)",
    cell: ({ version, versionUnordered }) => (
      <>
        <bdi title={version}>{version || "none"}</bdi>{" "}
        {versionUnordered && (
          <span title="This version cannot be compared. Check it yourself.">
            <Badge tone="warn">Check</Badge>
          </span>
        )}
      </>
    ),
  },
  {
    title: "Image",
    width: "minmax(8rem, 1.5fr)",
    cell: ({ repoUid = "", repoName, digest = "" }) => (
      <Link href={addresses.image(repoUid, digest, { view: "packages" })}>
        <bdi title={`${repoName}@${digest}`}>{repoName}</bdi>
      </Link>
    ),
  },
  {
    title: "Tags",
    width: "minmax(7rem, 1fr)",
    from: "medium",
    cell: ({ tags }) => <TagNames tags={tags} />,
  },
  {
    title: "License",
    width: "minmax(6rem, 1fr)",
    from: "wide",
    cell: ({ license }) =>
      license ? <bdi title={license}>{license}</bdi> : <span class="pale">not stated</span>,
  },
];
