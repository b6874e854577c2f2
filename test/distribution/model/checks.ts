/** The rules that hold after every history. `found` has a line for each violation. */
import type { R2Bucket } from "@cloudflare/workers-types";
import type { Connections } from "./connections.ts";
import {
  type Content,
  type DigestOf,
  type Manifest,
  makeManifest,
  maxInlineSize,
} from "./contents.ts";
import type { Ledger } from "./ledger.ts";
import { hourMs, type Program, type Repository } from "./program.ts";
import {
  type Host,
  isSame,
  type Organization,
  reposIn,
  reposPath,
  runSchedule,
  sendAlone,
} from "./requests.ts";

/** A history that has ended. */
interface Ended {
  host: Host;
  bucket: R2Bucket;
  /** The objects of earlier histories. */
  others: Set<string>;
  organizations: Organization[];
  program: Program;
  connections: Connections;
  ledger: Ledger;
  digestOf: DigestOf;
  /** Sets how much later it is, in milliseconds. */
  setShift: (shift: number) => void;
}

/** After a month, the clean-up may delete everything that no one can reach. */
const month = 30 * 24 * hourMs;

/** The most clean-ups until only bytes are left that someone can reach. */
const maxCleanUps = 5;

export class Checks {
  readonly found: string[] = [];
  readonly #ended: Ended;
  /** The digests that could be pulled from a repository. */
  readonly #pulled = new Map<Repository, Set<string>>();
  readonly #manifests: Manifest[];

  constructor(ended: Ended) {
    this.#ended = ended;
    this.#manifests = [...ended.program.manifests];
  }

  /** Checks everything, and leaves nothing behind. */
  async run(first: "at once" | "after a clean-up" | "after a month", again: Organization) {
    const { ledger } = this.#ended;
    this.found.push(...ledger.wrong);
    for (const refused of ledger.refused) {
      if (ledger.isDisturbed(refused)) continue;
      this.found.push(`${refused.text} to ${refused.repository.name} was refused`);
    }
    if (first === "after a clean-up") await this.#cleanUp(0);
    await this.#pullAll();
    if (first === "after a month") {
      await this.#nameAll();
      await this.#emptyTo(this.#pulledSize());
      await this.#pullAll();
    }
    await this.#pushAgain(again);
    await this.#deleteAll();
  }

  async #cleanUp(shift: number): Promise<void> {
    const { host, ledger, setShift } = this.#ended;
    const never = Number.POSITIVE_INFINITY;
    ledger.cleaned.push({ shift, began: never, ended: never });
    setShift(shift);
    await runSchedule(host).catch((thrown) => this.found.push(`a clean-up failed: ${thrown}`));
    setShift(0);
  }

  #get = (by: Organization, path: string) =>
    sendAlone(this.#ended.host, { method: "GET", path, by });

  /** Everything that a pull can reach has the bytes of its digest, and strangers reach nothing. */
  async #pullAll(): Promise<void> {
    const { repositories, contents } = this.#ended.program;
    for (const repository of repositories) {
      const digests = new Set<string>();
      this.#pulled.set(repository, digests);
      for (const [kind, all] of Object.entries({ blobs: contents, manifests: this.#manifests })) {
        for (const content of all) {
          if (await this.#pull(repository, kind, content)) digests.add(content.digest);
        }
      }
    }
    this.#comparePulled();
  }

  async #pull(repository: Repository, kind: string, { name, bytes, digest }: Content) {
    const { connections, organizations } = this.#ended;
    const path = `${connections.pathOf(repository)}/${kind}/${digest}`;
    const pull = await this.#get(connections.ownerOf(repository), path);
    if (pull.status === 404) return false;
    const what = `${name} in ${kind} of ${repository.name}`;
    if (pull.status !== 200) this.found.push(`${what}: ${pull.status}`);
    else if (!isSame(pull.bytes, bytes)) {
      const start = new TextDecoder().decode(pull.bytes.subarray(0, 40));
      this.found.push(`${what} has other bytes than those of its digest: ${start}`);
    }
    const stranger = organizations[1 - repository.organization] as Organization;
    const { status } = await this.#get(stranger, path);
    if (status < 400) this.found.push(`${what}: the other organization gets ${status}`);
    return pull.status === 200;
  }

  /** Everything that was acknowledged and not deleted is there, and a manifest has all its blobs. */
  #comparePulled(): void {
    const { ledger, program } = this.#ended;
    const isThere = (repository: Repository, { digest }: Content) =>
      this.#pulled.get(repository)?.has(digest) === true;
    for (const push of ledger.pushed) {
      const { repository, content } = push;
      if (isThere(repository, content) || ledger.isTakenBack(push)) continue;
      this.found.push(`${content.name} of ${repository.name}, which was acknowledged, is gone`);
    }
    for (const repository of program.repositories) {
      for (const manifest of this.#manifests.filter((one) => isThere(repository, one))) {
        for (const blob of manifest.blobs.filter((one) => !isThere(repository, one))) {
          this.found.push(`${blob.name} of ${manifest.name} of ${repository.name} is gone`);
        }
      }
    }
  }

  /** Pushes a manifest in each repository that names all its blobs, so that they stay. */
  async #nameAll(): Promise<void> {
    const { host, program, connections, ledger, digestOf } = this.#ended;
    const never = Number.POSITIVE_INFINITY;
    for (const [repository, digests] of this.#pulled) {
      const blobs = program.contents.filter(({ digest }) => digests.has(digest));
      if (blobs.length === 0) continue;
      const content = await makeManifest("all", blobs, digestOf);
      const by = connections.ownerOf(repository);
      const path = `${connections.pathOf(repository)}/manifests/all`;
      const sent = { method: "PUT", path, by, chunks: [content.bytes] };
      const { status } = await sendAlone(host, sent);
      if (status !== 201) this.found.push(`a manifest of ${repository.name} is refused: ${status}`);
      else ledger.pushed.push({ repository, content, began: never, ended: never });
      this.#manifests.push(content);
    }
  }

  /** The bytes in the bucket that everything needs that could be pulled. */
  #pulledSize(): number {
    const { contents, manifests } = this.#ended.program;
    const large = manifests.filter(({ bytes }) => bytes.length > maxInlineSize);
    const reached = new Set([...this.#pulled.values()].flatMap((digests) => [...digests]));
    return [...contents, ...large]
      .filter(({ digest }) => reached.has(digest))
      .reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** An organization can push everything again, and then pull it. */
  async #pushAgain(by: Organization): Promise<void> {
    for (const { name, bytes, digest } of this.#ended.program.contents) {
      const path = `/v2/${by.uid}/again/blobs`;
      const uploads = `${path}/uploads/?digest=${digest}`;
      const sent = { method: "POST", path: uploads, by, chunks: [bytes] };
      const push = await sendAlone(this.#ended.host, sent);
      const pull = await this.#get(by, `${path}/${digest}`);
      if (push.status === 201 && pull.status === 200 && isSame(pull.bytes, bytes)) continue;
      const what = pull.status === 200 ? "other bytes" : String(pull.status);
      this.found.push(`${name} pushed again: ${push.status}, then ${what}`);
    }
  }

  /** Once every repository is deleted, the bucket becomes empty. */
  async #deleteAll(): Promise<void> {
    const { host, organizations } = this.#ended;
    for (const by of organizations) {
      const { bytes } = await this.#get(by, reposPath(by));
      for (const { uid } of reposIn(bytes)) {
        await sendAlone(host, { method: "DELETE", path: `/registry/v2/repos/${uid}`, by });
      }
    }
    await this.#emptyTo(0);
  }

  /** After some months, the bucket has no more bytes than that. */
  async #emptyTo(most: number): Promise<void> {
    for (let run = 1; run <= maxCleanUps; run += 1) {
      await this.#cleanUp(run * month);
      const sizes = (await this.#objects()).map(({ size }) => size);
      if (sizes.reduce((sum, size) => sum + size, 0) <= most) return;
    }
    const left = (await this.#objects()).map(({ key, size }) => `${key} (${size} bytes)`);
    this.found.push(`${most} bytes can be pulled, and the bucket keeps ${left.join(", ")}`);
  }

  /** The objects of this history. */
  async #objects() {
    const { bucket, others } = this.#ended;
    return (await listAll(bucket)).filter(({ key }) => !others.has(key));
  }
}

/** All objects of the bucket. */
export async function listAll(bucket: R2Bucket): Promise<{ key: string; size: number }[]> {
  const all: { key: string; size: number }[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list(cursor === undefined ? {} : { cursor });
    all.push(...page.objects);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return all;
}
