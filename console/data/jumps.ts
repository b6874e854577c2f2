/**
 * The cheapest way to a page of a list. The platform reads every row that it skips, but a page token costs nothing, and a
 * list in the opposite order begins at its end. So scrolling costs only the rows on the screen, and a jump costs at most
 * the rows up to the nearest end or page that is known.
 */

/** A page that is known, and the tokens that lead on from it. */
export interface KnownPage {
  page: number;
  /** The token of the page after it. */
  next?: string | undefined;
  /** The token of the page before it, in the opposite order. */
  previous?: string | undefined;
}

/** A request for a page. */
export interface Way {
  /** Whether the rows come in the opposite order. */
  isReversed: boolean;
  pageToken?: string;
  skip: number;
  pageSize: number;
}

/** The pages that a person who scrolls in one direction is expected to read. */
const expectedPages = 5;

/**
 * Returns the way to a page with the fewest skipped rows, also for the pages that follow in the same direction: the
 * token of an answer leads only one way. `total` is the number of all rows. Undefined if it is not known, or if the list
 * cannot be reversed.
 */
export function wayTo(
  page: number,
  pageSize: number,
  known: readonly KnownPage[],
  total: number | undefined,
): Way {
  const ways: Way[] = [{ isReversed: false, skip: page * pageSize, pageSize }];
  for (const { page: position, next, previous } of known) {
    if (next && position < page)
      ways.push({
        isReversed: false,
        pageToken: next,
        skip: (page - position - 1) * pageSize,
        pageSize,
      });
    if (previous && position > page && total !== undefined)
      ways.push({
        isReversed: true,
        pageToken: previous,
        skip: (position - page - 1) * pageSize,
        pageSize,
      });
  }
  const first = page * pageSize;
  if (total !== undefined && total > first) {
    const end = Math.min(total, first + pageSize);
    ways.push({ isReversed: true, skip: total - end, pageSize: end - first });
  }
  const isKnown = (position: number) => known.some((jump) => jump.page === position);
  const goesUp = isKnown(page + 1) && !isKnown(page - 1);
  const goesDown = isKnown(page - 1) && !isKnown(page + 1);
  const cost = ({ isReversed, skip }: Way) =>
    skip * ((isReversed ? goesDown : goesUp) ? expectedPages : 1);
  return ways.reduce((best, way) => (cost(way) < cost(best) ? way : best));
}

/** The opposite of an `order_by`, such as `name desc` of `name`. */
export const reversed = (orderBy: string): string =>
  / desc$/.test(orderBy) ? orderBy.replace(/ desc$/, "") : `${orderBy.replace(/ asc$/, "")} desc`;
