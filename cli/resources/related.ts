/** The resources that belong to a resource, for `describe`, if the caller may see them. */
import { Failure } from "../failure.ts";
import { type CellStyle, cellText, withoutControls } from "./cells.ts";
import type { DetailLine } from "./details.ts";
import type { JsonObject } from "./flags.ts";
import { parentOf, readNames, requireResourceNamed, uidPath } from "./names.ts";
import type { PlatformClient } from "./platform.ts";
import { conditionOf, withRoleNames } from "./tag_rules.ts";
import { verdictsOf, verdictText, verdictWord } from "./verdicts.ts";

/** Rows that belong to a resource, as JSON and as lines. */
export type RelatedRows = {
  name: string;
  rows: JsonObject[];
  total?: number | undefined;
  lines: DetailLine[];
};

type RelatedKind = {
  /** A word of the catalog, such as `tags`. */
  of: string;
  title?: string;
  query(row: JsonObject): JsonObject;
  line(row: JsonObject, style: CellStyle): DetailLine;
};

/** The most rows of each kind. The total is shown as well. */
const maxShown = 10;

const timeField = { name: "", kind: "time", text: "" } as const;
const timeText = (value: unknown, style: CellStyle) => cellText(value, timeField, style);

const bindingLine = (row: JsonObject): DetailLine => {
  const names = row as { identity?: JsonObject; role?: JsonObject; group?: JsonObject };
  const who = names.identity?.email ?? names.identity?.name ?? names.identity?.uid;
  return {
    name: withoutControls(String(who)),
    value: withoutControls(`${names.role?.name} of ${names.group?.name}  ${row.uid}`),
  };
};

const namedLine = (row: JsonObject): DetailLine => ({
  name: withoutControls(String(row.name)),
  value: String(row.uid),
});

const childrenFilter = (row: JsonObject) => ({ uidp: { childrenOf: row.uid } });

const relatedKinds: Record<string, RelatedKind[]> = {
  repo: [
    {
      of: "tag",
      title: "Newest tags",
      query: (row) => ({ ...childrenFilter(row), orderBy: "update_time desc" }),
      line: (row, style) => ({
        name: withoutControls(String(row.name)),
        value: `${row.digest ?? "no image yet"}  ${timeText(row.updateTime, style)}${row.deprecated ? "  deprecated" : ""}`,
      }),
    },
  ],
  group: [
    {
      of: "group",
      title: "Groups below",
      query: (row) => ({ ...childrenFilter(row), orderBy: "name" }),
      line: namedLine,
    },
    { of: "repo", query: (row) => ({ ...childrenFilter(row), orderBy: "name" }), line: namedLine },
    {
      of: "identity",
      query: (row) => ({ ...childrenFilter(row), orderBy: "name" }),
      line: namedLine,
    },
    { of: "roleBinding", query: (row) => ({ group: row.uid }), line: bindingLine },
  ],
  identity: [
    { of: "roleBinding", query: (row) => ({ identity: row.uid }), line: bindingLine },
    {
      of: "key",
      query: childrenFilter,
      line: (row, style) => ({
        name: withoutControls(String(row.name)),
        value: `until ${timeText(row.expireTime, style)}  ${row.uid}`,
      }),
    },
  ],
  role: [{ of: "roleBinding", query: (row) => ({ role: row.uid }), line: bindingLine }],
  identityProvider: [
    {
      of: "externalGroupRoleMapping",
      query: (row) => ({ identityProviderUid: row.uid }),
      line: (row) => ({
        name: withoutControls(String(row.externalGroupId)),
        value: `${row.roleUid}  ${row.uid}`,
      }),
    },
  ],
  artifact: [
    {
      of: "artifactVersion",
      title: "Newest versions",
      query: (row) => ({ artifactId: row.uid, orderBy: "create_time desc" }),
      line: (row, style) => ({
        name: withoutControls(String(row.version)),
        value: timeText(row.createTime, style),
      }),
    },
  ],
};

/** Returns everything that belongs to a resource, with concurrent calls. */
export async function relatedOf(
  platform: PlatformClient,
  name: string,
  row: JsonObject,
  style: CellStyle,
): Promise<RelatedRows[]> {
  const all = [
    readPlace(platform, name, row),
    ...(relatedKinds[name] ?? []).map((look) => readRelated(platform, look, row, style)),
    ...(name === "tag" ? [readImage(platform, row), readVerdicts(platform, row)] : []),
    ...(name === "tagRule" ? [readCondition(platform, row)] : []),
  ];
  return (await Promise.all(all)).filter((section) => section !== undefined);
}

async function readRelated(
  platform: PlatformClient,
  { of, title, query, line }: RelatedKind,
  row: JsonObject,
  style: CellStyle,
): Promise<RelatedRows | undefined> {
  const resource = requireResourceNamed(of);
  const { list } = resource.methods;
  if (!list) return undefined;
  const name = resource.plural;
  const text = title ?? capital(resource.words.replaceAll("-", " "));
  try {
    const { rows, total } = await platform.list(list.rpc, query(row), maxShown);
    const lines = rows.map((row): DetailLine => ({ ...line(row, style), isRow: true }));
    const count =
      total === undefined || total <= maxShown
        ? ""
        : ` (${maxShown} of ${total.toLocaleString("en")})`;
    return { name, rows, total, lines: [{ name: `${text}${count}`, value: lines }] };
  } catch (error) {
    return hiddenRelated(error, name, text);
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the location of a resource, by name. */
async function readPlace(
  platform: PlatformClient,
  name: string,
  row: JsonObject,
): Promise<RelatedRows | undefined> {
  const parent = parentOf(String(row.uid ?? ""));
  if (!parent || name === "repoReadme") return undefined;
  const uids = uidPath(parent);
  const names = await readNames(platform, uids);
  const text = uids.map((uid) => names.get(uid)).filter((name) => name !== undefined);
  const value = `${withoutControls(text.join("/"))}  ${parent}`.trim();
  return { name: "parents", rows: [], lines: [{ name: "In", value }] };
}

/** Returns the architectures and sizes of the image of a tag, if its manifest is known. */
async function readImage(
  platform: PlatformClient,
  row: JsonObject,
): Promise<RelatedRows | undefined> {
  if (row.digest === undefined) return undefined;
  const service = "platform.registry.v2.ImagesService";
  const request = { repoUid: parentOf(String(row.uid)), digest: row.digest };
  try {
    const answer = await platform.call(`${service}/GetArchitectures`, request);
    const architectures = (answer.architectures as string[] | undefined) ?? [];
    const sizes = await Promise.all(
      architectures.map((architecture) =>
        platform.call(`${service}/GetSize`, { ...request, architecture }),
      ),
    );
    const rows = sizes.map(({ size }, index) => ({ architecture: architectures[index], size }));
    const lines = rows.map((row) => ({
      name: String(row.architecture),
      value: sizeText(Number(row.size)),
    }));
    return { name: "image", rows, lines: [{ name: "Image", value: lines }] };
  } catch (error) {
    // The platform knows only the digest of most tags. Some manifests are for a single architecture.
    if (error instanceof Failure && ["NOT_FOUND", "INVALID_ARGUMENT"].includes(error.code)) {
      return undefined;
    }
    return hiddenRelated(error, "image", "Image");
  }
}

/** Returns the signatures of the image of a tag that count, if its manifest is known and has one. */
async function readVerdicts(
  platform: PlatformClient,
  { uid, digest }: JsonObject,
): Promise<RelatedRows | undefined> {
  if (digest === undefined) return undefined;
  const hash = String(digest).split(":")[1] ?? "";
  const request = { uid: `${parentOf(String(uid))}/${hash.slice(0, 16)}` };
  try {
    const manifest = await platform.call(
      "platform.registry.v2.ManifestsService/GetManifest",
      request,
    );
    const rows = verdictsOf(manifest);
    const word = verdictWord(manifest);
    if (word === "" && rows.length === 0) return undefined;
    const fault = manifest.signatureFault ? `: ${manifest.signatureFault}` : "";
    const first = { name: "Signatures", value: withoutControls(`${word || "none"}${fault}`) };
    const lines = rows.map((verdict) => ({
      name: withoutControls(String(verdict.trustPolicy)),
      value: verdictText(verdict),
    }));
    return {
      ...{ name: "verdicts", rows },
      lines: [first, ...(lines.length > 0 ? [{ name: "Verdicts", value: lines }] : [])],
    };
  } catch (error) {
    if (error instanceof Failure && error.code === "NOT_FOUND") return undefined;
    return hiddenRelated(error, "verdicts", "Signatures");
  }
}

/** Returns the condition of a tag rule in words. */
async function readCondition(platform: PlatformClient, row: JsonObject): Promise<RelatedRows> {
  const [named = row] = await withRoleNames(platform, { name: "tagRule" }, [row]);
  const value = withoutControls(conditionOf(named));
  return { name: "condition", rows: [], lines: [{ name: "Condition", value }] };
}

/** Returns a size such as `12.3 MB`, in the units that registries use. */
export function sizeText(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}

/** A resource that the caller may not see does not prevent the others from being shown. */
function hiddenRelated(error: unknown, name: string, text: string): RelatedRows {
  if (!(error instanceof Failure) || error.code !== "PERMISSION_DENIED") throw error;
  return {
    name,
    rows: [],
    lines: [{ name: text, value: "(you have no permission to list them)" }],
  };
}
