/** The clients of a history: docker, others, and hostile ones. */
import type { Connections } from "./connections.ts";
import type { Content, Manifest } from "./contents.ts";
import type { Entry, Ledger } from "./ledger.ts";
import type { Fate, Operation, Repository, Step, Upload } from "./program.ts";
import { type Answer, isSame, partHeaders, reposIn, reposPath, type Sent } from "./requests.ts";

const isGood = ({ status }: Answer) => status >= 200 && status < 300;

/** The clients of one history. They write down what they get. */
export class Clients {
  readonly #connections: Connections;
  readonly #ledger: Ledger;

  constructor(connections: Connections, ledger: Ledger) {
    this.#connections = connections;
    this.#ledger = ledger;
  }

  async run(operation: Operation & Fate): Promise<void> {
    const { diesAt } = operation;
    const fate = diesAt === undefined ? {} : { diesAt };
    switch (operation.do) {
      case "upload":
        return this.#upload(operation);
      case "push image":
        return this.#pushImage(operation, fate);
      case "push manifest":
        return void (await this.#pushManifest(operation, fate));
      case "mount":
        return this.#mount(operation, fate);
      case "pull":
        return this.#pull(operation, fate);
      case "clean up":
        return this.#connections.cleanUp({ shift: operation.shift, ...fate });
      default:
        return this.#remove(operation, fate);
    }
  }

  async #upload(upload: Upload): Promise<void> {
    const { repository, content, steps, first, rivals } = upload;
    const isMonolithic = steps.length === 0;
    const query = isMonolithic ? `?digest=${first.claims?.digest}` : "";
    const began = this.#connections.time;
    const opened = await this.#connections.send(repository, `blobs/uploads/${query}`, {
      method: "POST",
      ...(isMonolithic ? bodyOf(first) : {}),
    });
    const location = opened.headers.get("location");
    let isRefused = !isGood(opened);
    if (isMonolithic) this.#claim(first, opened, { repository, began });
    else if (location) {
      const at = { repository, began, location };
      isRefused = !(await this.#takeSteps(upload, at));
    }
    const requests = isMonolithic ? [first] : steps;
    const isHonest =
      rivals.length === 0 &&
      requests.every(
        ({ lostAt, diesAt, claims }) =>
          lostAt === undefined && diesAt === undefined && (!claims || claims === content),
      );
    if (isRefused && isHonest) {
      this.#refused({ repository, content, began }, `the upload of ${content.name}`);
    }
  }

  /** Returns whether all were accepted. The client stops at the first that is not. */
  async #takeSteps(
    { steps, rivals }: Upload,
    at: { repository: Repository; began: number; location: string },
  ): Promise<boolean> {
    const others: Promise<unknown>[] = [];
    let hasFailed = false;
    for (const [index, step] of steps.entries()) {
      const now = rivals.filter(({ from }) => from === index);
      others.push(...now.map((rival) => this.#takeStep(rival.step, at)));
      if (hasFailed) continue;
      const { status } = await this.#takeStep(step, at);
      // A client that got no response sends the request again.
      const again = status === 0 ? await this.#takeStep(whole(step), at) : { status };
      hasFailed = again.status < 200 || again.status >= 300;
    }
    await Promise.all(others);
    return !hasFailed;
  }

  async #takeStep(
    step: Step,
    { repository, began, location }: { repository: Repository; began: number; location: string },
  ): Promise<Answer> {
    const path = step.claims ? `${location}?digest=${step.claims.digest}` : location;
    const answer = await this.#connections.send(repository, path, {
      method: step.method,
      ...bodyOf(step),
    });
    this.#claim(step, answer, { repository, began });
    return answer;
  }

  #claim(
    { claims }: Step,
    { status, ended }: Answer,
    { repository, began }: { repository: Repository; began: number },
  ): void {
    if (status === 201 && claims)
      this.#ledger.pushed.push({ repository, content: claims, began, ended });
  }

  /** As docker does: only blobs that are not there are uploaded. */
  async #pushImage(
    { repository, manifest, tag }: { repository: Repository; manifest: Manifest; tag: string },
    fate: Fate,
  ): Promise<void> {
    const began = this.#connections.time;
    for (const content of manifest.blobs) {
      const found = await this.#connections.send(repository, `blobs/${content.digest}`, {
        method: "HEAD",
      });
      if (found.status === 200) continue;
      const chunks = [content.bytes];
      const path = `blobs/uploads/?digest=${content.digest}`;
      const answer = await this.#connections.send(repository, path, { method: "POST", chunks });
      const { status, ended } = answer;
      if (status === 201) this.#ledger.pushed.push({ repository, content, began, ended });
      else this.#refused({ repository, content, began }, `the push of ${content.name}`);
    }
    const answer = await this.#pushManifest({ repository, manifest, tag }, fate);
    if (answer.status !== 201 && fate.diesAt === undefined) {
      this.#refused({ repository, content: manifest, began }, `the push of ${manifest.name}`);
    }
  }

  async #pushManifest(
    { repository, manifest, tag }: { repository: Repository; manifest: Manifest; tag: string },
    fate: Fate,
  ): Promise<Answer> {
    const chunks = [manifest.bytes.subarray(0, 100), manifest.bytes.subarray(100)];
    const sent = { method: "PUT", chunks, ...fate };
    const answer = await this.#connections.send(repository, `manifests/${tag}`, sent);
    const { status, began, ended } = answer;
    if (status === 201)
      this.#ledger.pushed.push({ repository, content: manifest, tag, began, ended });
    return answer;
  }

  async #mount(
    {
      repository,
      content,
      from,
    }: { repository: Repository; content: Content; from: Repository | undefined },
    fate: Fate,
  ): Promise<void> {
    const source = from ? `&from=${this.#connections.pathOf(from).slice("/v2/".length)}` : "";
    const path = `blobs/uploads/?mount=${content.digest}${source}`;
    const { status, began, ended } = await this.#connections.send(repository, path, {
      method: "POST",
      ...fate,
    });
    if (status === 201) this.#ledger.pushed.push({ repository, content, began, ended });
  }

  async #pull(
    { repository, content }: { repository: Repository; content: Content },
    fate: Fate,
  ): Promise<void> {
    const answer = await this.#connections.send(repository, `blobs/${content.digest}`, fate);
    if (answer.status === 200 && !isSame(answer.bytes, content.bytes)) {
      this.#ledger.wrong.push(`a pull of ${content.name} from ${repository.name} had other bytes`);
    }
  }

  async #remove(
    operation: Exclude<Operation, { do: "upload" | "clean up" | "mount" | "pull" }>,
    fate: Fate,
  ): Promise<void> {
    const { repository } = operation;
    const tag = operation.do === "delete manifest" ? operation.tag : undefined;
    const entry: Entry = {
      ...{ repository, tag },
      content: tag === undefined ? contentOf(operation) : undefined,
      began: this.#connections.time,
      ended: Number.POSITIVE_INFINITY,
    };
    this.#ledger.removed.push(entry);
    const sent = { method: "DELETE", ...fate };
    if (operation.do === "delete blob") {
      await this.#connections.send(repository, `blobs/${operation.content.digest}`, sent);
    } else if (operation.do === "delete manifest") {
      const { manifest, tag } = operation;
      await this.#connections.send(repository, `manifests/${tag ?? manifest.digest}`, sent);
    } else {
      const list = reposPath(this.#connections.ownerOf(repository));
      const { bytes } = await this.#connections.send(repository, list, {});
      const found = reposIn(bytes).find(({ name }) => name === repository.name);
      if (found) await this.#connections.send(repository, `/registry/v2/repos/${found.uid}`, sent);
    }
    // A request that has died does nothing any more.
    entry.ended = this.#connections.time;
  }

  #refused(entry: Omit<Entry, "ended">, text: string): void {
    this.#ledger.refused.push({ ...entry, ended: this.#connections.time, text });
  }
}

const contentOf = (operation: Operation): Content | undefined =>
  "content" in operation
    ? operation.content
    : "manifest" in operation
      ? operation.manifest
      : undefined;

/** The same request, which arrives. */
const whole = ({ lostAt: _, diesAt: __, ...step }: Step): Step => step;

const bodyOf = ({ part, hasRange, hasLength, lostAt, diesAt }: Step): Partial<Sent> => ({
  headers: partHeaders(part, hasRange, hasLength),
  about: part ? ` of ${part.content.name} from ${part.from}` : "",
  ...(part && part.chunks.length > 0 ? { chunks: part.chunks } : {}),
  ...(lostAt === undefined ? {} : { lostAt }),
  ...(diesAt === undefined ? {} : { diesAt }),
});
