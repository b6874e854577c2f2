/** The packages in the SBOM of an image. */
import { useQuery } from "@tanstack/preact-query";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Package, Sbom } from "../../client/index.ts";
import { useAllRows, windowOf } from "../data/all_rows.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { saveFile } from "../data/save_file.ts";
import { type SortKeys, sorted } from "../data/sorted.ts";
import { rootOf } from "../data/uids.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { CopyButton, CopyLine } from "../elements/copy.tsx";
import { SelectField } from "../elements/fields.tsx";
import { SaveButton } from "../elements/save_button.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { ViewProps } from "./part_links.tsx";
import { OfPlatform } from "./part_links.tsx";

/** More packages are not read. The largest SBOM that the platform takes has about as many. */
const maxPackages = 20_000;

const nameOf = ({ namespace, name = "" }: Package) => (namespace ? `${namespace}/${name}` : name);

const keys: SortKeys<Package> = {
  name: ({ name }) => name,
  version: ({ version }) => version,
  type: ({ type }) => type,
  license: ({ license }) => license,
};

export function ImagePackages({ image, name }: ViewProps) {
  const client = useClient();
  const { repo, digest } = image;
  const sbom = useQuery({
    queryKey: ["sboms", repo, digest],
    queryFn: async () => {
      const [newest] = await client.sboms.list({ childrenOf: repo, digest }).all(1);
      return newest ?? null;
    },
  });
  return (
    <OfPlatform image={image} name={name} view="packages" what="packages">
      <Answer query={sbom} lines={8}>
        {(loaded) =>
          loaded ? (
            <>
              <SbomLine sbom={loaded} />
              <PackageTable image={image} name={name} />
            </>
          ) : (
            <NoSbom image={image} name={name} />
          )
        }
      </Answer>
    </OfPlatform>
  );
}

function NoSbom({ image: { repo, digest } }: ViewProps) {
  return (
    <Empty title="This image has no SBOM">
      <p>
        An SBOM lists the packages of an image. Push one as an attachment of the image, or{" "}
        <a href="/docs/imports">import it</a>:
      </p>
      <CopyLine
        text={`platformctl import sbom FILE --image ${repo}@${digest}`}
        what="command that imports an SBOM"
      />
    </Empty>
  );
}

const formats: Record<string, string> = {
  SBOM_FORMAT_SPDX: "SPDX",
  SBOM_FORMAT_CYCLONEDX: "CycloneDX",
};

function SbomLine({ sbom }: { sbom: Sbom }) {
  const client = useClient();
  const { uid, format = "", specVersion = "", size, updateTime } = sbom;
  const save = async () => {
    const { content } = await client.call("sboms.get", { uid, view: "SBOM_VIEW_FULL" });
    const bytes = Uint8Array.from(atob(String(content)), (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(bytes);
    saveFile(`sbom-${sbom.digest.slice(-12)}.json`, "application/json", text);
  };
  return (
    <p class="images-source">
      <span>
        {formats[format] ?? "SBOM"} <bdi>{specVersion}</bdi>, {formatBytes(size)}, stored{" "}
        <Time time={updateTime} />
      </span>
      <SaveButton save={save}>Download the SBOM</SaveButton>
    </p>
  );
}

function PackageTable({ image: { repo, digest } }: ViewProps) {
  const client = useClient();
  const { get, set } = useParameters();
  const [text, type, orderBy] = [get("q"), get("type"), get("order") || "name"];
  const all = useAllRows<Package>({
    key: ["packages", { repo, digest }],
    lists: [(position) => client.packages.list({ childrenOf: repo, digest, ...position })],
    limit: maxPackages,
  });
  const types = useMemo(
    () => [...new Set(all.rows.map((row) => row.type ?? ""))].filter(Boolean).sort(),
    [all.rows],
  );
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    const matches = all.rows.filter(
      (row) =>
        (type === "" || row.type === type) &&
        [nameOf(row), row.version, row.license, row.purl].some((value) =>
          value?.toLowerCase().includes(wanted),
        ),
    );
    return sorted(matches, orderBy, keys);
  }, [all.rows, text, type, orderBy]);
  const rows = windowOf(shown, all);
  return (
    <>
      <div class="toolbar">
        <SearchField label="Search packages" value={text} onSearch={(q) => set({ q })} />
        <SelectField
          label="Type"
          value={type}
          options={[["", "All"], ...types.map((name) => [name, name] as const)]}
          onChange={(value) => set({ type: value })}
        />
        <RowCount rows={rows} noun={["package", "packages"]} />
      </div>
      <Table
        label="Packages"
        columns={columnsOf(rootOf(repo))}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty
            title={all.rows.length === 0 ? "The SBOM lists no packages" : "No package matches"}
          />
        }
      />
      {all.isCut && <p class="pale">Only the first {formatCount(maxPackages)} are shown.</p>}
    </>
  );
}

const columnsOf = (group: string): Column<Package>[] => [
  {
    title: "Name",
    sort: "name",
    width: "minmax(9rem, 2fr)",
    cell: (row) => (
      <>
        <Link href={addresses.packageSearch(row.purl ? bare(row.purl) : row.name, group)}>
          <bdi title={nameOf(row)}>{row.name}</bdi>
        </Link>
        {row.namespace && <bdi class="images-namespace">{row.namespace}</bdi>}
      </>
    ),
  },
  {
    title: "Version",
    sort: "version",
    width: "minmax(6rem, 1fr)",
    cell: ({ version }) =>
      version ? <bdi title={version}>{version}</bdi> : <span class="pale">none</span>,
  },
  { title: "Type", sort: "type", width: "5rem", from: "medium", cell: ({ type }) => type },
  {
    title: "License",
    sort: "license",
    width: "minmax(7rem, 1fr)",
    from: "medium",
    cell: ({ license }) =>
      license ? <bdi title={license}>{license}</bdi> : <span class="pale">not stated</span>,
  },
  {
    title: "Package URL",
    width: "minmax(10rem, 2fr)",
    from: "wide",
    cell: ({ purl }) =>
      purl ? (
        <span class="images-purl">
          <code title={purl}>{purl}</code>
          <CopyButton text={purl} what="package URL" />
        </span>
      ) : (
        <span class="pale">none</span>
      ),
  },
];

/** A package URL without version, qualifiers and subpath. */
const bare = (purl: string) => purl.replace(/[?#].*$/s, "").replace(/@[^@/]*$/, "");
