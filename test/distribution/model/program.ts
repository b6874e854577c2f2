/** A random program: the operations of several clients of two organizations, and everything that they are about. */
import {
  type Content,
  type DigestOf,
  type Manifest,
  makeContents,
  makeManifests,
} from "./contents.ts";
import type { Dice } from "./dice.ts";

export interface Repository {
  /** The last part of the name. */
  name: string;
  /** The number of its organization: 0 or 1. */
  organization: number;
  /** Whether it exists before the first push. */
  exists: boolean;
}

/** A part of a content, as the chunks in which its bytes arrive. */
export interface Part {
  content: Content;
  from: number;
  chunks: Uint8Array[];
}

/** The end of a request that does not get its response. */
export interface Fate {
  /** The chunk in place of which the connection is lost. */
  lostAt?: number;
  /** The gate at which the request dies. */
  diesAt?: number;
}

/** A request of an upload. */
export interface Step extends Fate {
  method: "PATCH" | "PUT" | "GET" | "DELETE";
  /** For PUT: what the client says that the bytes are. */
  claims?: Content;
  part?: Part;
  /** Whether it has a Content-Range. */
  hasRange: boolean;
  /** Whether it has a Content-Length. */
  hasLength: boolean;
}

/** A request to an upload that comes at any time after the start of a step. */
export interface Rival {
  from: number;
  step: Step;
}

export interface Upload {
  do: "upload";
  repository: Repository;
  content: Content;
  /** Without steps, the first request has all bytes. */
  steps: Step[];
  first: Step;
  rivals: Rival[];
}

export type Operation =
  | Upload
  | { do: "push image" | "push manifest"; repository: Repository; manifest: Manifest; tag: string }
  | { do: "mount"; repository: Repository; content: Content; from: Repository | undefined }
  | { do: "pull" | "delete blob"; repository: Repository; content: Content }
  | { do: "delete manifest"; repository: Repository; manifest: Manifest; tag: string | undefined }
  | { do: "delete repository"; repository: Repository }
  | { do: "clean up"; shift: number };

export interface Program {
  repositories: Repository[];
  contents: Content[];
  manifests: Manifest[];
  /** Pushed before the operations, which overlap. */
  before: Operation[];
  operations: (Operation & Fate)[];
}

export const hourMs = 60 * 60 * 1000;
const tags = ["latest", "v1"] as const;

/** Writes a program. The names and the bytes occur in no other history. */
export async function writeProgram(dice: Dice, seed: number, digestOf: DigestOf): Promise<Program> {
  const contents = await makeContents(dice, seed, digestOf);
  const manifests = await makeManifests(dice, contents, digestOf);
  const repositories = Array.from({ length: dice.between(1, 3) }, (_, at) => ({
    name: `r${seed}-${at}`,
    organization: at === 0 ? 0 : dice.between(0, 1),
    exists: dice.chance(0.5),
  }));
  const writer = new Writer(dice, { repositories, contents, manifests });
  const before = dice.chance(0.4) ? [writer.image()] : [];
  const length = dice.between(3, 8);
  const operations = Array.from({ length }, () => ({ ...writer.operation(), ...writer.fate(0) }));
  return { repositories, contents, manifests, before, operations };
}

class Writer {
  readonly #dice: Dice;
  readonly #world: Pick<Program, "repositories" | "contents" | "manifests">;

  constructor(dice: Dice, world: Pick<Program, "repositories" | "contents" | "manifests">) {
    this.#dice = dice;
    this.#world = world;
  }

  /** The connection is lost only if there is a body. */
  fate(chunks: number): Fate {
    if (this.#dice.chance(0.08)) return { diesAt: this.#dice.between(2, 12) };
    if (chunks > 0 && this.#dice.chance(0.08)) return { lostAt: this.#dice.between(0, chunks) };
    return {};
  }

  image = (): Operation => ({ do: "push image", ...this.#manifest(), tag: this.#dice.pick(tags) });

  operation(): Operation {
    const dice = this.#dice;
    const kinds: [() => Operation, number][] = [
      [() => this.#upload(), 45],
      [this.image, 12],
      [() => ({ do: "push manifest", ...this.#manifest(), tag: dice.pick(tags) }), 8],
      [() => ({ do: "mount", ...this.#blob(), from: this.#source() }), 7],
      [() => ({ do: "pull", ...this.#blob() }), 5],
      [() => ({ do: "delete blob", ...this.#blob() }), 5],
      [() => ({ do: "delete manifest", ...this.#manifest(), tag: this.#tagOrNone() }), 5],
      [() => ({ do: "delete repository", repository: this.#repository() }), 4],
      [() => ({ do: "clean up", shift: dice.pick([0, 25, 8 * 24]) * hourMs }), 9],
    ];
    return (dice.weighted(kinds) ?? this.image)();
  }

  #repository = () => this.#dice.pick(this.#world.repositories) as Repository;
  #content = () => this.#dice.pick(this.#world.contents) as Content;
  #tagOrNone = () => (this.#dice.chance(0.3) ? this.#dice.pick(tags) : undefined);
  #source = () => (this.#dice.chance(0.7) ? this.#repository() : undefined);

  #blob = () => ({ repository: this.#repository(), content: this.#content() });

  #manifest = () => ({
    repository: this.#repository(),
    manifest: this.#dice.pick(this.#world.manifests) as Manifest,
  });

  #upload(): Upload {
    const dice = this.#dice;
    const content = this.#content();
    const claims = dice.chance(0.04) ? this.#content() : content;
    const { length } = content.bytes;
    const isRanged = dice.chance(0.4);
    const patch = (from: number, to: number) =>
      this.#step({ method: "PATCH", part: this.#part(content, from, to), hasRange: isRanged });
    const put = (from: number) =>
      this.#step({
        method: "PUT",
        part: this.#part(content, from, length),
        hasRange: isRanged,
        claims,
      });
    const [a, b] = [dice.between(1, length - 2), length - 1];
    const steps = dice.pick([
      () => [],
      () => [put(0)],
      // Two of them, because docker does this.
      () => [patch(0, length), put(length)],
      () => [patch(0, length), put(length)],
      () => [patch(0, a), put(a)],
      () => [patch(0, a), patch(a, b), put(b)],
      () => [patch(0, a), patch(a, length), put(length)],
      () => [patch(0, a)],
    ])();
    const first = this.#step({ method: "PUT", part: this.#part(content, 0, length), claims });
    const count =
      steps.length === 0
        ? 0
        : (dice.weighted([
            [0, 3],
            [1, 4],
            [2, 3],
          ]) ?? 0);
    const rivals = Array.from({ length: count }, () => this.#rival(steps));
    return { do: "upload", repository: this.#repository(), content, steps, first, rivals };
  }

  /** A repeat of a step, the same step with other bytes, or something else. */
  #rival(steps: Step[]): Rival {
    const dice = this.#dice;
    const from = dice.between(0, steps.length - 1);
    const step = steps[from] as Step;
    const others = this.#world.contents.filter((one) => one !== step.part?.content);
    const other = dice.pick(others) as Content;
    const { length } = other.bytes;
    const start = Math.min(step.part?.from ?? 0, length);
    const sameEnd = step.part && step.part.from + sizeOf(step.part);
    const end = (dice.chance(0.6) ? sameEnd : undefined) ?? dice.between(start, length);
    const part = this.#part(other, start, Math.min(end, length));
    const given = dice.weighted<Partial<Step>>([
      [step, 3],
      [{ ...step, part, ...(step.claims ? { claims: other } : {}) }, 5],
      [{ method: "PUT", claims: other, part: this.#part(other, 0, length) }, 2],
      [{ method: "PUT", claims: other }, 1],
      [{ method: "GET" }, 1],
      [{ method: "DELETE" }, 1],
    ]);
    return { from, step: this.#step(given ?? step) };
  }

  #step(given: Partial<Step>): Step {
    const { lostAt: _, diesAt: __, ...step } = given;
    return {
      ...{ method: "PATCH", hasRange: false, hasLength: this.#dice.chance(0.5) },
      ...step,
      ...this.fate(step.part?.chunks.length ?? 0),
    };
  }

  #part(content: Content, from: number, to: number): Part {
    const cuts = [from, to].concat(
      Array.from({ length: to > from ? this.#dice.between(0, 2) : 0 }, () =>
        this.#dice.between(from, to),
      ),
    );
    cuts.sort((a, b) => a - b);
    const chunks = cuts.slice(1).map((end, at) => content.bytes.subarray(cuts[at], end));
    return { content, from, chunks: chunks.filter(({ length }) => length > 0) };
  }
}

/** The bytes of a part. */
export const sizeOf = ({ chunks }: Part) => chunks.reduce((sum, { length }) => sum + length, 0);
