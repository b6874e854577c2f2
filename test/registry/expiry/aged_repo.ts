/** A repository whose tags and images are as old as a test says. */
import {
  digestOf,
  type Image,
  indexType,
  manifestType,
  newImageOf,
  pushBlob,
  putManifest,
  send,
  type Target,
} from "../../distribution/client.ts";
import type { startOwnRegistry } from "../../distribution/own_registry.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { newOrganization, randomName } from "../../world/personas.ts";
import { type Answer, baseUrl, type RequestOptions, sql } from "../../world/platform.ts";

const emptyJson = "{}";

export const dayMs = 24 * 3_600_000;

/** The text of an index of images, or of indexes. */
export const indexText = (images: Pick<Image, "digest" | "text">[]): string =>
  JSON.stringify({
    ...{ schemaVersion: 2, mediaType: indexType },
    manifests: images.map(({ digest, text }) => ({
      ...{ mediaType: JSON.parse(text).mediaType, digest, size: Buffer.byteLength(text) },
      platform: { os: "linux", architecture: "amd64" },
    })),
  });

/** An item of a plan, as JSON. */
export interface Item {
  tag?: string;
  digest: string;
  reason: string;
  outcome: string;
  note?: string;
}

type Registry = Awaited<ReturnType<typeof startOwnRegistry>>;

export class AgedRepo {
  /** The uid of the organization. */
  readonly organization: string;
  /** The token of its owner for the API. */
  readonly token: string;
  readonly target: Target;
  readonly uid: string;
  /** The origin of the platform. */
  readonly #origin: string;
  readonly sql: typeof sql;

  private constructor(
    owner: { organization: string; token: string },
    target: Target,
    uid: string,
    platform: { origin: string; sql: typeof sql },
  ) {
    this.organization = owner.organization;
    this.token = owner.token;
    this.target = target;
    this.uid = uid;
    this.#origin = platform.origin;
    this.sql = platform.sql;
  }

  /** A repository of the shared platform. */
  static async create(): Promise<AgedRepo> {
    const { uid: organization, owner } = await newOrganization("aged");
    const target = { token: await registryToken(owner.uid), name: `${organization}/app` };
    return AgedRepo.#in({ organization, token: owner.token }, target, { origin: baseUrl(), sql });
  }

  /** A repository of a platform of its own, whose schedule a test can run. */
  static async createIn(registry: Registry): Promise<AgedRepo> {
    const { uid: organization, registryToken: token, apiToken } = await registry.newOwner();
    const { origin, run } = registry;
    const target = { token, name: `${organization}/app`, origin };
    return AgedRepo.#in({ organization, token: apiToken }, target, { origin, sql: run });
  }

  static async #in(
    owner: { organization: string; token: string },
    target: Target,
    platform: { origin: string; sql: typeof sql },
  ): Promise<AgedRepo> {
    const repo = new AgedRepo(owner, target, "", platform);
    const { uid } = await repo.#create(`repos/${owner.organization}`, { name: "app" });
    return new AgedRepo(owner, target, uid, platform);
  }

  async #create(path: string, body: object): Promise<{ uid: string }> {
    const answer = await this.rest(path, { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }

  /** A call of the API of the registry, by its owner unless it says otherwise. */
  async rest(
    path: string,
    { body, token = this.token, method = body ? "POST" : "GET" }: RequestOptions = {},
  ): Promise<Pick<Answer, "status" | "body">> {
    const answer = await fetch(`${this.#origin}/registry/v2/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: await answer.json() };
  }

  /** Pushes an image by its digest. It was created as many days ago. */
  async image(days = 100): Promise<Image> {
    const image = newImageOf({ labels: { name: randomName("image") } });
    await pushBlob(this.target, image.layer);
    await pushBlob(this.target, image.config);
    await this.manifest(image.text, days);
    return image;
  }

  /** Pushes a manifest by its digest, which it returns. */
  async manifest(text: string, days = 100): Promise<string> {
    const digest = digestOf(text);
    const answer = await putManifest(this.target, digest, text, JSON.parse(text).mediaType);
    if (answer.status !== 201) throw new Error(await answer.text());
    await this.sql(
      "update manifests set create_time = ? where parent = ? and digest = ?",
      Date.now() - days * dayMs,
      this.uid,
      digest,
    );
    return digest;
  }

  /** Pushes an index of images. */
  index(images: Pick<Image, "digest" | "text">[], days = 100): Promise<string> {
    return this.manifest(indexText(images), days);
  }

  /** Pushes a referrer of a manifest, such as a signature. */
  async referrer(subject: string, days = 100): Promise<string> {
    await pushBlob(this.target, emptyJson);
    const text = JSON.stringify({
      ...{ schemaVersion: 2, mediaType: manifestType, artifactType: "application/x.test" },
      config: {
        mediaType: "application/vnd.oci.empty.v1+json",
        digest: digestOf(emptyJson),
        size: emptyJson.length,
      },
      layers: [],
      subject: { mediaType: manifestType, digest: subject, size: 1 },
      annotations: { name: randomName("referrer") },
    });
    return this.manifest(text, days);
  }

  /** Imports moves of tags, each some days ago. */
  async tag(digest: string, names: string | string[], days = 100): Promise<void> {
    const updateTime = new Date(Date.now() - days * dayMs).toISOString();
    const moves = [names].flat().map((tag) => ({ repo: "app", tag, digest, updateTime }));
    await this.#create(`tagMoves/${this.organization}:import`, { moves });
  }

  /** Creates a rule. Returns its uid. */
  async rule(kind: object, more: object = {}, parent = this.uid): Promise<string> {
    const rule = { name: randomName("rule"), ...kind, ...more };
    return (await this.#create(`tagRules/${parent}`, rule)).uid;
  }

  call(path: string, body?: object, token = this.token) {
    return this.rest(`expiryPlans/${path}`, body ? { token, body } : { token });
  }

  /** Makes the plans of the repository a minute older. All pulls are then known, so that they can be carried out. */
  waitForPulls() {
    return this.sql(
      "update expiry_plans set create_time = create_time - 60000, pulls_known_time = 1 where parent = ?",
      this.uid,
    );
  }

  /** Makes a plan, with its items, as if a minute ago: all pulls are known. */
  async plan(): Promise<{ uid: string; body: Record<string, unknown>; items: Item[] }> {
    const { status, body } = await this.call(this.uid, {});
    if (status !== 200) throw new Error(JSON.stringify(body));
    await this.waitForPulls();
    return { uid: body.uid as string, body, items: await this.items(body.uid) };
  }

  /** The items of a plan as `tag or digest`, outcome and note. */
  async items(plan: string, query = ""): Promise<Item[]> {
    const { body } = await this.call(`${plan}:items?page_size=200${query}`);
    return body.items ?? [];
  }

  async carryOut(plan: string) {
    const { status, body } = await this.call(`${plan}:carryOut`, {});
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  async undo(plan: string) {
    const { status, body } = await this.call(`${plan}:undo`, {});
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  /** The status of a pull. */
  async pull(reference: string): Promise<number> {
    const answer = await send(this.target, `manifests/${reference}`);
    await answer.arrayBuffer();
    return answer.status;
  }
}
