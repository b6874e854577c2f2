/** Calls of every RPC that is served, and what each cost in D1. */
import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { services } from "../../schema/descriptors.ts";
import { http } from "../../schema/gen/google/api/annotations_pb.js";
import { unimplemented_reason } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import type { Answer, BenchPlatform } from "../stage.ts";

/**
 * What a case is, by which it is judged. `open` ones name no place, so that what the caller may see has
 * to be read first. `whole` answers all there is without pages, as version 1 does by its contract;
 * `import` writes as many rows as it is given.
 */
export type CaseKind =
  | "get"
  | "open get"
  | "list"
  | "open list"
  | "grants"
  | "write"
  | "import"
  | "whole"
  | "open whole";

/** One case of an RPC at one size, as `--json` prints it. */
export interface CostRecord {
  /** `platform.registry.v2.TagsService/ListTags`; a path of the registry host for what is no RPC. */
  rpc: string;
  case: string;
  /** Rows of the resource. */
  rows: number;
  /** Rows of a page; 0 for what has no pages. */
  pageSize: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** As measured: with what the goals need besides. */
export interface MeasuredCase extends CostRecord {
  kind: CaseKind;
  /** Rows of the answer; 0 where it is no list. */
  answered: number;
  /** What was wrong with the answer itself, such as its total. */
  wrong: string[];
}

type Json = Record<string, unknown>;

/** Every RPC that is served, by its full name. */
export const servedRpcs: ReadonlyMap<string, DescMethod> = new Map(
  services
    .flatMap(({ methods }) => methods)
    .filter(
      (method) =>
        !hasOption(method, unimplemented_reason) && !method.parent.typeName.startsWith("grpc."),
    )
    .map((method) => [`${method.parent.typeName}/${method.name}`, method]),
);

/** The RPC of a name without `platform.`. Throws for one that is not served. */
export function methodOf(name: string): DescMethod {
  const found = servedRpcs.get(`platform.${name}`);
  if (!found) throw new Error(`no RPC platform.${name} is served`);
  return found;
}

/** RPCs whose REST path has no room for what they are asked: lists of messages in a query. */
const onlyConnect = ["ListResolvedVulnsReports"];

/** Where and how an RPC is called: over REST where it has a path, else over Connect. */
function routeOf(method: DescMethod, request: Json) {
  const rule = hasOption(method, http) ? getOption(method, http) : undefined;
  if (typeof rule?.pattern.value !== "string" || onlyConnect.includes(method.name)) {
    return { verb: "POST", path: `/${method.parent.typeName}/${method.name}`, body: request };
  }
  const left = structuredClone(request);
  const path = rule.pattern.value.replaceAll(/\{([a-z_.]+)(?:=[^}]*)?\}/g, (_, field: string) =>
    take(
      left,
      field.replaceAll(/_([a-z])/g, (__, letter: string) => letter.toUpperCase()).split("."),
    ),
  );
  const verb = String(rule.pattern.case).toUpperCase();
  if (rule.body === "*") return { verb, path, body: left };
  const field = method.input.fields.find(({ name }) => name === rule.body)?.jsonName;
  const body = field === undefined ? undefined : (left[field] ?? {});
  if (field !== undefined) delete left[field];
  const query = String(new URLSearchParams(pairsOf(left, "")));
  return { verb, path: query === "" ? path : `${path}?${query}`, body };
}

function take(json: Json, [first = "", ...rest]: string[]): string {
  if (rest.length > 0) return take(json[first] as Json, rest);
  const value = json[first];
  delete json[first];
  return String(value ?? "");
}

function pairsOf(json: Json, prefix: string): [string, string][] {
  return Object.entries(json).flatMap(([name, value]): [string, string][] => {
    const key = prefix + name;
    if (Array.isArray(value)) return value.map((one) => [key, String(one)]);
    if (typeof value === "object" && value !== null) return pairsOf(value as Json, `${key}.`);
    return [[key, String(value)]];
  });
}

/** How a case is told from others of its RPC, and judged. */
export interface CallCase {
  name: string;
  kind: CaseKind;
  pageSize?: number;
  /** The bearer's, if not the owner of the organization's. None for an open RPC: "". */
  token?: string;
  /** As a header, beside the request. */
  headers?: Record<string, string>;
}

/** Calls as the owner of the organization, and keeps what each case cost. */
export class MeasuringCaller {
  readonly measured: MeasuredCase[] = [];
  readonly #stage: BenchPlatform;
  /** Rows of the resource that an RPC is about. */
  readonly rowsOf: (rpc: string) => number;
  /** Token of the organization's owner. */
  readonly owner: string;

  constructor(platform: BenchPlatform, owner: string, rowsOf: (rpc: string) => number) {
    this.#stage = platform;
    this.owner = owner;
    this.rowsOf = rowsOf;
  }

  /** Calls an RPC (without `platform.`). Throws unless it answers 200, or 429 where it `mayBeMuch`. */
  ask(rpc: string, request: Json, token = this.owner, mayBeMuch = false): Promise<Answer> {
    const { verb, path, body } = routeOf(methodOf(rpc), request);
    const sent = body === undefined ? {} : { body };
    return this.#stage.call(token, path, { method: verb, ...sent, mayBeMuch });
  }

  /** Calls as {@link ask} does and keeps the cost as a case. */
  async measure(rpc: string, { name, kind, pageSize = 0, token }: CallCase, request: Json) {
    // Version 1 refuses what is too much to be answered at once: then it is the refusal that is measured.
    const mayBeMuch = kind === "whole" || kind === "open whole";
    const answer = await this.ask(rpc, request, token, mayBeMuch);
    return this.keep(`platform.${rpc}`, { name, kind, pageSize }, answer);
  }

  /** A read that is no list. */
  get(rpc: string, request: Json, name = "", token = this.owner) {
    return this.measure(rpc, { name, kind: "get", token }, request);
  }

  write(rpc: string, request: Json, name = "", token = this.owner) {
    return this.measure(rpc, { name, kind: "write", token }, request);
  }

  /** Keeps the cost of a path of the registry host. */
  async path(path: string, name: string, call: string, token = this.owner) {
    return this.keep(path, { name, kind: "get" }, await this.#stage.call(token, call));
  }

  keep(rpc: string, { name, kind, pageSize = 0 }: CallCase, answer: Answer) {
    const { body = {} } = answer;
    const list = Object.values(body).find((value) => Array.isArray(value));
    const measured: MeasuredCase = {
      rpc,
      case: name,
      rows: this.rowsOf(rpc),
      pageSize,
      ...answer.cost,
      kind,
      answered: list?.length ?? 0,
      wrong: [],
    };
    this.measured.push(measured);
    return { body: body as Json & { uid: string; id: string }, measured };
  }

  /** Throws for each RPC that is served and no case was of. */
  requireAll(): void {
    const seen = new Set(this.measured.map(({ rpc }) => rpc));
    const missing = [...servedRpcs.keys()].filter((rpc) => !seen.has(rpc));
    if (missing.length > 0) throw new Error(`no case for ${missing.join(", ")}`);
  }
}
