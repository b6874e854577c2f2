/**
 * Loads the history of a tag, newest first. The page draws what is there, and the rest follows in the background until
 * the person leaves.
 */
import type { Client, RecordedTagMove } from "../../client/index.ts";
import { asError } from "../data/errors.ts";
import { Records } from "./records.ts";

/** The tag whose history is loaded. */
export interface TagName {
  /** The uid of the repository. */
  repo: string;
  name: string;
  /** The uid of the tag. Undefined if the tag is deleted. */
  uid?: string;
}

/** The most records that a page of the platform has. */
const pageSize = 200;

/** The shortest time between two changes while pages come. In milliseconds. */
const pause = 300;

/** The most records that the page of the console keeps. */
export const maxRecords = 100_000;

/** The state of the loading. */
export type Loading = "loading" | "complete" | "full" | "failed";

/** Loads and keeps the records of one tag. */
export class HistoryLoader {
  readonly records = new Records();
  state: Loading = "loading";
  error: Error | undefined;
  /** The time of the first record of the tag, once it is known. In milliseconds since 1970 UTC. */
  firstTime: number | undefined;
  /** Increases with every change. */
  version = 0;
  #client: Client;
  #tag: TagName;
  #abort = new AbortController();
  #listeners = new Set<() => void>();
  #isRefreshing = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(client: Client, tag: TagName) {
    this.#client = client;
    this.#tag = tag;
  }

  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all requests. */
  stop(): void {
    this.#abort.abort();
  }

  #tell(): void {
    this.#toldAt = performance.now();
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }

  /** The page draws everything again for each change, so pages that come fast share one. */
  #tellOfPage(): void {
    if (performance.now() - this.#toldAt >= pause) this.#tell();
  }

  #list(request: object) {
    const { repo, name } = this.#tag;
    return this.#client.tagHistory.listTagMoves(
      { childrenOf: repo, tag: name, pageSize, ...request },
      { signal: this.#abort.signal },
    );
  }

  /** Loads the records, or continues after an error. Never rejects: `state` and `error` say what happened. */
  async load(): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.state = "loading";
    this.error = undefined;
    if (this.records.count > 0) this.#tell();
    try {
      await this.#loadPages();
    } catch (thrown) {
      if (signal.aborted) return;
      this.state = "failed";
      this.error = asError(thrown);
    }
    if (!signal.aborted) this.#tell();
  }

  async #loadPages(): Promise<void> {
    const { records } = this;
    const oldest = records.timeOf(records.count - 1);
    const from = records.count === 0 ? {} : { until: new Date(oldest).toISOString() };
    let isFirst = this.firstTime === undefined;
    for await (const { rows, nextPageToken } of this.#list(from).pages()) {
      records.append(rows);
      if (nextPageToken === undefined) break;
      if (records.count >= maxRecords) {
        this.state = "full";
        return;
      }
      this.#tellOfPage();
      // Not awaited: the next page need not wait for it, and without it the picture only grows in steps.
      if (isFirst) this.#findFirst().catch(() => {});
      isFirst = false;
    }
    this.state = "complete";
    this.firstTime = records.timeOf(records.count - 1);
  }

  /** The time of the first record, so that the picture has its whole length before all records are there. */
  async #findFirst(): Promise<void> {
    const { rows } = await this.#list({ orderBy: "update_time", pageSize: 1 }).page();
    const [first] = rows;
    if (first) this.firstTime = timeOf(first);
    this.#tell();
  }

  /** Looks for moves that happened since. An error changes nothing, because the next look can find them. */
  async refresh(): Promise<void> {
    const { records } = this;
    if (this.state === "loading" || records.count === 0) return;
    if (this.#isRefreshing || this.#abort.signal.aborted) return;
    this.#isRefreshing = true;
    const since = new Date(records.timeOf(0) + 1).toISOString();
    try {
      const rows = await this.#list({ since }).all(maxRecords);
      if (rows.length === 0 || this.#abort.signal.aborted) return;
      records.prepend(rows);
      this.#tell();
    } catch {
      // The picture stays as it is.
    } finally {
      this.#isRefreshing = false;
    }
  }

  /** The part of the life of the tag that is loaded, from 0 to 1. */
  progress(now: number): number {
    if (this.state === "complete") return 1;
    const { records, firstTime } = this;
    if (firstTime === undefined || records.count === 0) return 0;
    const life = Math.max(1, now - firstTime);
    return Math.min(1, (now - records.timeOf(records.count - 1)) / life);
  }
}

const timeOf = ({ updateTime = "" }: RecordedTagMove) => Date.parse(updateTime);
