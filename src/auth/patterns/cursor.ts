/** A place in the text of a pattern. */
export class PatternCursor {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isDone(): boolean {
    return this.at >= this.text.length;
  }

  /** Returns the next code point and moves past it. Returns -1 at the end. */
  take(): number {
    const rune = this.text.codePointAt(this.at) ?? -1;
    this.at += rune > 0xffff ? 2 : 1;
    return rune;
  }

  startsWith(start: string): boolean {
    return this.text.startsWith(start, this.at);
  }

  /** Moves past the text if it comes next. */
  skip(start: string): boolean {
    const isNext = this.startsWith(start);
    if (isNext) this.at += start.length;
    return isNext;
  }

  /** Moves past the text that a sticky expression matches here. */
  match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.at;
    const found = form.exec(this.text);
    if (found) this.at = form.lastIndex;
    return found;
  }

  /** Returns the text before the mark and moves past both. Returns the rest if there is no mark. */
  takeUntil(mark: string): string {
    // A cast, because a text always has a first part.
    const [found] = this.text.slice(this.at).split(mark, 1) as [string];
    this.at += found.length + mark.length;
    return found;
  }
}
