/** What belongs to a resource, for `describe`: as far as the caller may see it. */
import { Failure } from "../failure.ts";
import { cell, plain, type Style } from "./cells.ts";
import type { Line } from "./details.ts";
import type { Json } from "./flags.ts";
import { namesOf, parentOf, pathOf, resourceOf } from "./names.ts";
import type { Platform } from "./platform.ts";

/** Rows that belong to a resource, as JSON and as lines. */
export type Related = { name: string; rows: Json[]; total?: number | undefined; lines: Line[] };

type Look = {
  /** `tags`, a word of the catalog. */
  of: string;
  title?: string;
  query(row: Json): Json;
  line(row: Json, style: Style): Line;
};

/** Rows shown of each kind; how many there are is told as well. */
const shown = 10;

const timeField = { name: "", kind: "time", text: "" } as const;
const told = (value: unknown, style: Style) => cell(value, timeField, style);

const bindingLine = (row: Json): Line => {
  const names = row as { identity?: Json; role?: Json; group?: Json };
  const who = names.identity?.email ?? names.identity?.name ?? names.identity?.uid;
  return {
    name: plain(String(who)),
    value: plain(`${names.role?.name} of ${names.group?.name}  ${row.uid}`),
  };
};

const namedLine = (row: Json): Line => ({ name: plain(String(row.name)), value: String(row.uid) });

const inside = (row: Json) => ({ uidp: { childrenOf: row.uid } });

const looks: Record<string, Look[]> = {
  repo: [
    {
      of: "tag",
      title: "Newest tags",
      query: (row) => ({ ...inside(row), orderBy: "update_time desc" }),
      line: (row, style) => ({
        name: plain(String(row.name)),
        value: `${row.digest ?? "points nowhere yet"}  ${told(row.updateTime, style)}${row.deprecated ? "  deprecated" : ""}`,
      }),
    },
  ],
  group: [
    {
      of: "group",
      title: "Groups below",
      query: (row) => ({ ...inside(row), orderBy: "name" }),
      line: namedLine,
    },
    { of: "repo", query: (row) => ({ ...inside(row), orderBy: "name" }), line: namedLine },
    { of: "identity", query: (row) => ({ ...inside(row), orderBy: "name" }), line: namedLine },
    { of: "roleBinding", query: (row) => ({ group: row.uid }), line: bindingLine },
  ],
  identity: [{ of: "roleBinding", query: (row) => ({ identity: row.uid }), line: bindingLine }],
  role: [{ of: "roleBinding", query: (row) => ({ role: row.uid }), line: bindingLine }],
  identityProvider: [
    {
      of: "externalGroupRoleMapping",
      query: (row) => ({ identityProviderUid: row.uid }),
      line: (row) => ({
        name: plain(String(row.externalGroupId)),
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
        name: plain(String(row.version)),
        value: told(row.createTime, style),
      }),
    },
  ],
};

/** What belongs to a resource, all of it asked for at the same time. */
export async function relatedOf(
  platform: Platform,
  name: string,
  row: Json,
  style: Style,
): Promise<Related[]> {
  const all = [
    place(platform, name, row),
    ...(looks[name] ?? []).map((look) => lookAt(platform, look, row, style)),
    ...(name === "tag" ? [image(platform, row)] : []),
  ];
  return (await Promise.all(all)).filter((one) => one !== undefined);
}

async function lookAt(
  platform: Platform,
  { of, title, query, line }: Look,
  row: Json,
  style: Style,
): Promise<Related | undefined> {
  const resource = resourceOf(of);
  const { list } = resource.methods;
  if (!list) return undefined;
  const name = resource.plural;
  const text = title ?? capital(resource.words.replaceAll("-", " "));
  try {
    const { rows, total } = await platform.list(list.rpc, query(row), shown);
    const lines = rows.map((one): Line => ({ ...line(one, style), isRow: true }));
    const count =
      total === undefined || total <= shown ? "" : ` (${shown} of ${total.toLocaleString("en")})`;
    return { name, rows, total, lines: [{ name: `${text}${count}`, value: lines }] };
  } catch (error) {
    return unseen(error, name, text);
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Where a resource lies, by name. */
async function place(platform: Platform, name: string, row: Json): Promise<Related | undefined> {
  const parent = parentOf(String(row.uid ?? ""));
  if (!parent || name === "repoReadme") return undefined;
  const uids = pathOf(parent);
  const names = await namesOf(platform, uids);
  const text = uids.map((uid) => names.get(uid)).filter((one) => one !== undefined);
  const value = `${plain(text.join("/"))}  ${parent}`.trim();
  return { name: "parents", rows: [], lines: [{ name: "In", value }] };
}

/** Architectures and sizes of what a tag points to, if its manifest is known. */
async function image(platform: Platform, row: Json): Promise<Related | undefined> {
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
    const lines = rows.map((one) => ({
      name: String(one.architecture),
      value: bytes(Number(one.size)),
    }));
    return { name: "image", rows, lines: [{ name: "Image", value: lines }] };
  } catch (error) {
    // Most tags are known by their digest only, and some manifests are for one machine.
    if (error instanceof Failure && ["NOT_FOUND", "INVALID_ARGUMENT"].includes(error.code)) {
      return undefined;
    }
    return unseen(error, "image", "Image");
  }
}

/** `12.3 MB`, as registries tell it. */
export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** step;
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}

/** That the caller may not see something does not spoil the rest. */
function unseen(error: unknown, name: string, text: string): Related {
  if (!(error instanceof Failure) || error.code !== "PERMISSION_DENIED") throw error;
  return { name, rows: [], lines: [{ name: text, value: "(you may not see them)" }] };
}
