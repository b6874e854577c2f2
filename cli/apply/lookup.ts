/** Finds the resources that documents name, with one bounded List for each name. */
import type { JsonObject } from "../resources/flags.ts";
import { isUid, parentOf, uidPath } from "../resources/names.ts";
import type { PlatformClient } from "../resources/platform.ts";
import type { Wanted } from "./documents.ts";
import { hasName, type KindName, methodOf } from "./kinds.ts";

/** A resource: its uid, or the document that creates it. */
export type Target = { uid: string } | { planned: Wanted };

export const isPlanned = (target: Target): target is { planned: Wanted } => "planned" in target;

/** A name for which there is no resource, or more than one. */
export class LookupProblem extends Error {}

/** The most rows of a List by name. A name below an organization can have one for each group. */
const mostRows = 200;

/** Whether a resource is in no group, as organizations and built-in roles are. */
const isTop = ({ uid }: JsonObject) => parentOf(String(uid)) === undefined;

export class Lookup {
  readonly #platform: PlatformClient;
  readonly #documents: Wanted[];
  readonly #groups = new Map<string, Promise<Target>>();
  readonly #rows = new Map<string, Promise<JsonObject[]>>();

  constructor(platform: PlatformClient, documents: Wanted[]) {
    this.#platform = platform;
    this.#documents = documents;
  }

  /** Returns the group with a uid or a path. Throws a LookupProblem. */
  group(path: string): Promise<Target> {
    if (isUid(path)) return Promise.resolve({ uid: path });
    const known = this.#groups.get(path) ?? this.#findGroup(path);
    this.#groups.set(path, known);
    return known;
  }

  async #findGroup(path: string): Promise<Target> {
    const slash = path.lastIndexOf("/");
    const name = path.slice(slash + 1);
    if (slash < 0) return { uid: await this.#topGroup(name) };
    const parent = await this.group(path.slice(0, slash));
    if (!isPlanned(parent)) {
      const row = await this.child("Group", parent.uid, name);
      if (row) return { uid: String(row.uid) };
    }
    const planned = this.#documents.find(
      (document) => document.kind === "Group" && `${document.group}/${document.name}` === path,
    );
    if (planned) return { planned };
    throw new LookupProblem(
      `There is no group ${JSON.stringify(path)} that you can see, and no document creates it.`,
    );
  }

  /** A path begins with an organization, or with the topmost group that the caller sees. */
  async #topGroup(name: string): Promise<string> {
    const rows = await this.#named("Group", name, {});
    const organizations = rows.filter(isTop);
    const candidates = organizations.length > 0 ? organizations : rows;
    const [only] = candidates;
    if (only && candidates.length === 1) return String(only.uid);
    throw new LookupProblem(
      only
        ? `${candidates.length} groups are named ${JSON.stringify(name)}. Use a path from the organization, or a uid.`
        : `There is no group ${JSON.stringify(name)} that you can see.`,
    );
  }

  /** Returns the repository with a name or a uid in a group. Throws a LookupProblem. */
  async repo(group: Target, path: string, name: string): Promise<Target> {
    if (isUid(name)) return { uid: name };
    const row = isPlanned(group) ? undefined : await this.child("Repo", group.uid, name);
    if (row) return { uid: String(row.uid) };
    const planned = this.#planned("Repo", path, name);
    if (planned) return { planned };
    throw new LookupProblem(
      `There is no repository ${JSON.stringify(name)} in ${path} that you can see, and no document creates it.`,
    );
  }

  #planned(kind: KindName, path: string, name: string): Wanted | undefined {
    return this.#documents.find(
      (document) => document.kind === kind && document.group === path && document.name === name,
    );
  }

  /** Returns the resource with a name directly in a group or a repository, or undefined. Throws a LookupProblem if there are several. */
  async child(kind: KindName, parent: string, name: string): Promise<JsonObject | undefined> {
    const rows = await this.#named(kind, name, { uidp: { childrenOf: parent } });
    if (rows.length > 1)
      throw new LookupProblem(`${rows.length} resources of this kind have this name.`);
    return rows[0];
  }

  /**
   * Returns the identity or the role that a document means: of its own group, or of a group above it. Built-in roles
   * belong to no group. Throws a LookupProblem.
   */
  async referred(kind: KindName, text: string, within: string): Promise<Target> {
    if (isUid(text)) return { uid: text };
    const slash = text.lastIndexOf("/");
    const [name, groups] =
      slash < 0
        ? [text, uidPath(within).toReversed()]
        : [text.slice(slash + 1), [text.slice(0, slash)]];
    for (const path of groups) {
      const target = await this.#referredIn(kind, name, path);
      if (target) return target;
    }
    if (kind === "Role" && slash < 0) {
      const rows = await this.#named(kind, name, {});
      const ofNoGroup = rows.filter(isTop);
      const [only] = ofNoGroup;
      if (only && ofNoGroup.length === 1) return { uid: String(only.uid) };
      if (only)
        throw new LookupProblem(
          `${ofNoGroup.length} have the name ${JSON.stringify(text)}. Use a uid.`,
        );
    }
    const scope = slash < 0 ? ` in ${within} or above it` : "";
    throw new LookupProblem(
      `There is no ${kind} ${JSON.stringify(text)}${scope} that you can see, and no document creates it.`,
    );
  }

  async #referredIn(kind: KindName, name: string, path: string): Promise<Target | undefined> {
    const planned = this.#planned(kind, path, name);
    const group = await this.group(path);
    const row = isPlanned(group) ? undefined : await this.child(kind, group.uid, name);
    if (row) return { uid: String(row.uid) };
    return planned && { planned };
  }

  /** Returns the role binding that connects these resources, or undefined. */
  async binding(group: string, identity: string, role: string): Promise<JsonObject | undefined> {
    const request = { group, identity, role };
    const rows = await this.#platform.rows(methodOf("RoleBinding", "list").rpc, request, 1);
    return rows[0];
  }

  #named(kind: KindName, name: string, scope: JsonObject): Promise<JsonObject[]> {
    if (!hasName(kind)) throw new Error(`${kind} has no name`);
    const key = JSON.stringify([kind, name, scope]);
    const known =
      this.#rows.get(key) ??
      this.#platform
        .rows(methodOf(kind, "list").rpc, { ...scope, name }, mostRows)
        .then((rows) => rows.filter((row) => row.name === name));
    this.#rows.set(key, known);
    return known;
  }
}
