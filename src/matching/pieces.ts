/** The pieces of an organization's work in one run. A mark whose work fails is passed over, and holds up no other mark. */
import { MARK } from "../../schema/tables/registry/match_marks.ts";
import { StaleError } from "../aip/stale.ts";
import type { Database } from "../auth/databases.ts";
import { announceImages } from "./announcements/announce_images.ts";
import { markImages } from "./announcements/mark_images.ts";
import type { MatchContext } from "./context.ts";
import { type Mark, maxMarks, nextMarks } from "./marks.ts";
import { matchAdvisories } from "./match_advisories.ts";
import { matchImage } from "./match_image.ts";

/** The most marks that a run passes over. With more, the failure has another reason than the marks. */
const maxFailures = 20;

export class Pieces {
  /** The errors of the marks that were passed over. */
  readonly failures: unknown[] = [];
  readonly #db: Database;
  readonly #root: string;
  /** The last mark that was passed over. */
  #passed: Mark | undefined;
  /** The most marks of the next piece. Half of them after two failures, so that the one that fails is found. */
  #most = maxMarks;
  #hasFailed = false;

  constructor(db: Database, root: string) {
    this.#db = db;
    this.#root = root;
  }

  /** Does the next piece, and returns whether there was one. */
  async doNext(context: () => Promise<MatchContext>): Promise<boolean> {
    if (this.failures.length > maxFailures) return false;
    const next = await nextMarks(this.#db, this.#root, this.#passed);
    const marks = next.slice(0, this.#most);
    const [first] = marks;
    if (!first) return false;
    const opened = await context();
    try {
      await doPiece(opened, marks);
      this.#most = Math.min(2 * this.#most, maxMarks);
      this.#hasFailed = false;
    } catch (thrown) {
      // Something has changed in between. The next piece reads again.
      if (thrown instanceof StaleError) return true;
      this.#hasFailed = !this.#hasFailed;
      if (this.#hasFailed) return true;
      this.#most = Math.ceil(marks.length / 2);
      if (marks.length > 1) return true;
      this.#passed = first;
      this.failures.push(thrown);
    }
    return true;
  }
}

async function doPiece(context: MatchContext, marks: Mark[]): Promise<void> {
  const [first] = marks;
  if (first?.kind === MARK.image) await matchImage(context, first);
  else if (first?.kind === MARK.statements) await markImages(context, first);
  else if (first?.kind === MARK.announcement) await announceImages(context, marks);
  else await matchAdvisories(context, marks);
}
