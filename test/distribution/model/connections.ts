/** The connections of all clients of a history to the platform. */
import type { Ledger } from "./ledger.ts";
import type { Fate, Program, Repository } from "./program.ts";
import {
  type Answer,
  type Host,
  type Organization,
  type Sent,
  send,
  sendSchedule,
} from "./requests.ts";
import type { Scheduler } from "./scheduler.ts";

export class Connections {
  readonly #host: Host;
  readonly #scheduler: Scheduler;
  readonly #ledger: Ledger;
  readonly #organizations: Organization[];
  /** The names of the contents by their digests, and of the organizations by their uids. */
  readonly #names: Map<string, string>;
  #requests = 0;

  constructor(
    host: Host,
    scheduler: Scheduler,
    ledger: Ledger,
    organizations: Organization[],
    { contents, manifests }: Program,
  ) {
    this.#host = host;
    this.#scheduler = scheduler;
    this.#ledger = ledger;
    this.#organizations = organizations;
    this.#names = new Map([
      ...[...contents, ...manifests].map(({ name, digest }) => [digest, name] as const),
      ...organizations.map(({ uid }, at) => [uid, `organization-${at}`] as const),
    ]);
  }

  /** The number of gates that were passed. */
  get time(): number {
    return this.#scheduler.time;
  }

  ownerOf = ({ organization }: Repository) => this.#organizations[organization] as Organization;

  pathOf = (repository: Repository) => `/v2/${this.ownerOf(repository).uid}/${repository.name}`;

  /** Sends a request about a repository. */
  async send(repository: Repository, path: string, sent: Partial<Sent>): Promise<Answer> {
    this.#requests += 1;
    const by = this.ownerOf(repository);
    const full = path.startsWith("/") ? path : `${this.pathOf(repository)}/${path}`;
    const request = { method: "GET", ...sent, by, path: full, about: this.#aboutOf(full, sent) };
    const answer = await send(this.#host, this.#scheduler, this.#requests, request);
    if (answer.status >= 500) {
      const text = new TextDecoder().decode(answer.bytes);
      this.#ledger.wrong.push(`${request.method} ${request.about}: ${answer.status} ${text}`);
    }
    return answer;
  }

  /** The path with names in place of digests, and the body. */
  #aboutOf(path: string, { headers, chunks, about = "" }: Partial<Sent>): string {
    const named = path
      .replace(/sha256:[0-9a-f]{64}|[0-9a-f]{40}/g, (text) => this.#names.get(text) ?? text)
      .replace(/[0-9a-f]{12,}/g, (id) => `${id.slice(0, 6)}…`);
    const size = chunks
      ? `, ${chunks.reduce((sum, { length }) => sum + length, 0)} bytes${about}`
      : "";
    const range = headers?.["content-range"];
    return `${named}${size}${range ? `, Content-Range ${range}` : ""}`;
  }

  /** Runs the schedule. */
  async cleanUp(run: { shift: number } & Fate): Promise<void> {
    const entry = { shift: run.shift, began: this.time, ended: Number.POSITIVE_INFINITY };
    this.#ledger.cleaned.push(entry);
    this.#requests += 1;
    await sendSchedule(this.#host, this.#scheduler, this.#requests, run).catch((thrown) =>
      this.#ledger.wrong.push(`a clean-up failed: ${thrown}`),
    );
    entry.ended = this.time;
  }
}
