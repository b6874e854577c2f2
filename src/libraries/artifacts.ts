import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, inArray, sql } from "drizzle-orm";
import {
  type Artifact,
  ArtifactSchema,
  ArtifactsService,
  ArtifactVersionSchema,
  Ecosystem,
  type ListArtifactsRequest,
} from "../../schema/gen/platform/libraries/v2/artifacts_pb.js";
import { counts } from "../../schema/tables/counts.ts";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import {
  artifacts,
  artifactVersions,
  isRemediated,
  type VersionSpan,
} from "../../schema/tables/vulnerabilities/artifacts.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { invalidArgument, notFound } from "../aip/errors.ts";
import { quoted } from "../aip/quoted.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import { wholeMessage } from "../aip/whole_message.ts";
import { missingCapabilities, readWithGrants } from "../auth/access.ts";
import { type Call, callAtCaller } from "../auth/call.ts";
import { isServed, rowsOfEach } from "../auth/databases.ts";
import { scopesOf } from "../auth/grants.ts";
import { versionStepOf } from "../packages/library_versions.ts";
import { mavenSortKey } from "../packages/maven_order.ts";
import { pypiName } from "../packages/names.ts";
import { pypiSortKey } from "../packages/pypi_order.ts";
import { list } from "../paging/list.ts";
import { listValues } from "../paging/listed_values.ts";
import { defineListing, type Sorting, times } from "../paging/listing.ts";
import { readOrder } from "../paging/order.ts";
import { service } from "../rpc/service.ts";

const columns = {
  uid: artifacts.uid,
  artifactUid: artifacts.artifactUid,
  name: artifacts.name,
  description: artifacts.description,
  ecosystem: artifacts.ecosystem,
  latestVersion: artifacts.latestVersion,
  versionCount: artifacts.versionCount,
  createTime: artifacts.createTime,
  updateTime: artifacts.updateTime,
};

type Row = Pick<RowOf<typeof artifacts>, keyof typeof columns>;

const listing = defineListing({
  table: artifacts,
  select: (db, from) => db.select(columns).from(from),
  classColumn: artifacts.ecosystem,
  orders: {
    // Clients know this name.
    uid: "artifactUid",
    name: "name",
    ...times,
  },
  defaultOrder: "name",
});

function toArtifact({ uid: _, artifactUid, createTime, updateTime, ...row }: Row): Artifact {
  return wholeMessage(ArtifactSchema, {
    ...row,
    uid: artifactUid,
    createTime: timestampFromMs(createTime),
    updateTime: timestampFromMs(updateTime),
  });
}

/** A version of a library. */
interface VersionRow {
  uid: string;
  version: string;
  sortKey: string;
  createTime: number;
  updateTime: number;
}

const versionSorting: Sorting<VersionRow> = {
  orders: { uid: "uid", version: "sortKey", ...times },
  defaultOrder: "version desc",
};

/** The versions in the rows of a library. Their sort keys are computed only for the order by version. */
function toVersionRows(
  { uid, ecosystem }: Row,
  stored: { versions: VersionSpan[] }[],
  field: string,
): VersionRow[] {
  const sortKeyOf = ecosystem === Ecosystem.PYTHON ? pypiSortKey : mavenSortKey;
  const spans = stored.flatMap(({ versions }) => versions);
  return spans.flatMap(([createTime, updateTime, versions]) =>
    versions.map((version) => ({
      uid: `${uid}/${versionStepOf(version)}`,
      version,
      sortKey: field === "version" ? sortKeyOf(version) : "",
      createTime,
      updateTime,
    })),
  );
}

const toVersion = (of: Row, { uid, version, createTime, updateTime }: VersionRow) =>
  wholeMessage(ArtifactVersionSchema, {
    uid: `${of.artifactUid}${uid.slice(of.uid.length)}`,
    name: of.name,
    version,
    description: "",
    sizeBytes: 0n,
    createTime: timestampFromMs(createTime),
    updateTime: timestampFromMs(updateTime),
  });

/** A substring match that ignores case, and the spelling of Python names. LIKE would do the same, but D1 limits its patterns to 50 bytes. */
const nameContains = (part: string) =>
  part === ""
    ? undefined
    : sql`(instr(lower(${artifacts.name}), lower(${part})) > 0
        or ${artifacts.ecosystem} = ${sql.raw(String(Ecosystem.PYTHON))} and instr(${artifacts.name}, ${pypiName(part)}) > 0)`;

/** CUDA versions are stored in the form of local version labels: `cu118`. */
function cudaLabel(version: string): string {
  const digits = /^(?:cu)?(\d+(?:\.\d+)?)$/i.exec(version)?.[1];
  if (digits) return `cu${digits.replace(".", "")}`;
  throw invalidArgument(
    "cuda_version",
    `cuda_version must be a version such as 11.8 or cu118; you sent ${quoted(version)}`,
  );
}

function isBuiltFor({ cudaVersion }: ListArtifactsRequest) {
  if (!cudaVersion) return [];
  const versions = sql`select "value" from json_each(${artifacts.cudaVersions})`;
  return [
    eq(artifacts.ecosystem, Ecosystem.PYTHON),
    sql`${cudaLabel(cudaVersion)} in (${versions})`,
  ];
}

/** Whether no index has the rows of the filters. The remediated libraries have one by name. */
const hasLookedFilter = ({ query, cudaVersion, remediated, orderBy }: ListArtifactsRequest) =>
  query !== "" ||
  cudaVersion !== undefined ||
  (remediated && readOrder(orderBy, listing).field !== "name");

/**
 * The groups where the caller may see libraries, for the group and everything below it. Throws
 * PERMISSION_DENIED if there are none.
 */
async function readScopes<const S extends Parameters<typeof readWithGrants>[2]>(
  call: Call,
  statements: S,
) {
  const { caller, rows } = await readWithGrants(call, undefined, statements);
  const scopes = scopesOf(caller, call.capabilities);
  if (scopes.length === 0) throw missingCapabilities(call.capabilities, "");
  return { scopes, rows };
}

export const artifactsService = service(ArtifactsService, {
  async listArtifacts(request, call) {
    const page = await list(call, request, listing, {
      classes: [...new Set(request.ecosystems)],
      filters: [
        nameContains(request.query),
        ...isBuiltFor(request),
        request.remediated ? isRemediated : undefined,
      ],
      index: hasLookedFilter(request) ? "no_index" : "order_index",
    });
    return { artifacts: page.rows.map(toArtifact), ...page.envelope };
  },

  /**
   * A library that the caller may not see has the same response as one that does not exist. A uid alone does
   * not identify a group.
   */
  async listArtifactVersions(request, anywhere) {
    const call = callAtCaller(anywhere);
    const { artifactId } = request;
    const select = call.db
      .select(columns)
      .from(artifacts)
      .where(eq(artifacts.artifactUid, artifactId));
    const { scopes, rows } = await readScopes(call, [select]);
    const elsewhere = await rowsOfEach({ all: await call.databases.othersThan(call.db) }, (db) =>
      db
        .select(columns)
        .from(artifacts)
        .where(and(eq(artifacts.artifactUid, artifactId), isServed(sql`${artifacts.uid}`))),
    );
    const [artifact] = [...rows[0], ...elsewhere];
    if (!artifact || !scopes.some((scope) => isAtOrAbove(scope, artifact.uid))) {
      throw notFound("libraries/Artifact", artifactId);
    }
    const [place] = await call.databases.split([artifact.uid]);
    const stored = place?.db
      .select({ versions: artifactVersions.versions })
      .from(artifactVersions)
      .where(eq(artifactVersions.parent, artifact.uid));
    const page = await listValues(call, request, versionSorting, async (field) =>
      toVersionRows(artifact, (await stored) ?? [], field),
    );
    return {
      artifactVersions: page.rows.map((row) => toVersion(artifact, row)),
      ...page.envelope,
    };
  },

  /** An ecosystem that is named twice is counted once, at its first place. */
  async getArtifactCount({ ecosystems }, call) {
    const { scopes } = await readScopes(callAtCaller(call), []);
    const parts = await call.databases.split(scopes);
    const results = await Promise.all(
      parts.map(({ db, uids }) =>
        db
          .select({ ecosystem: counts.class, total: sql<number>`sum(${counts.descendants})` })
          .from(counts)
          .where(
            and(eq(counts.kind, "artifacts"), inArray(counts.ancestor, valuesSubselect([...uids]))),
          )
          .groupBy(counts.class),
      ),
    );
    const totals = new Map<number, number>();
    for (const { ecosystem, total } of results.flat())
      totals.set(ecosystem, (totals.get(ecosystem) ?? 0) + total);
    return {
      counts: [...new Set(ecosystems)].map((ecosystem) => ({
        ecosystem,
        totalCount: BigInt(totals.get(ecosystem) ?? 0),
      })),
    };
  },
});
