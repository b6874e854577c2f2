/** The pushes that the platform has acknowledged in a history, and everything that may undo them. */
import type { Content, Manifest } from "./contents.ts";
import { hourMs, type Repository } from "./program.ts";

/** From the beginning of the first request to the end of the last one, in gates that were passed. */
interface Times {
  began: number;
  ended: number;
}

/** Something that was pushed, or that a client asked to delete. */
export interface Entry extends Times {
  repository: Repository;
  /** Undefined for the whole repository, or for a tag of it. */
  content: Content | Manifest | undefined;
  tag?: string | undefined;
}

/** How much later it is for a clean-up, in milliseconds. */
interface CleanUp extends Times {
  shift: number;
}

/** The clean-up may delete blobs after this time if no manifest uses them. */
const blobGrace = 24 * hourMs;

const overlap = (one: Times, other: Times) => one.began <= other.ended && other.began <= one.ended;

const isManifest = ({ content }: Entry) => content !== undefined && "blobs" in content;

export class Ledger {
  readonly pushed: (Entry & { content: Content | Manifest })[] = [];
  readonly removed: Entry[] = [];
  readonly cleaned: CleanUp[] = [];
  /** Clients that did nothing wrong, and whose request was refused. */
  readonly refused: (Entry & { text: string })[] = [];
  /** Responses that must never occur. */
  readonly wrong: string[] = [];

  /** Whether a deletion or a clean-up may have deleted it after its push began. */
  isTakenBack(push: Entry): boolean {
    const isRemoved = this.removed.some(
      ({ repository, content, tag, ended }) =>
        repository === push.repository &&
        tag === undefined &&
        (content === undefined || content === push.content) &&
        ended >= push.began,
    );
    if (isRemoved || isManifest(push)) return isRemoved;
    return this.cleaned.some(({ shift, ended }) => shift >= blobGrace && ended >= push.began);
  }

  /** Whether a deletion or a clean-up met the client, so that it may be refused. */
  isDisturbed(client: Entry): boolean {
    return (
      this.removed.some((one) => one.repository === client.repository && overlap(one, client)) ||
      this.cleaned.some((run) => run.shift >= blobGrace && overlap(run, client))
    );
  }
}
