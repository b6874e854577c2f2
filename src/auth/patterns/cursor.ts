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

  /** The next code point, which is passed over; -1 at the end. */
  take(): number {
    const rune = this.text.codePointAt(this.at) ?? -1;
    this.at += rune > 0xffff ? 2 : 1;
    return rune;
  }

  startsWith(start: string): boolean {
    return this.text.startsWith(start, this.at);
  }

  /** Passes over the text if it comes next. */
  skip(start: string): boolean {
    const isNext = this.startsWith(start);
    if (isNext) this.at += start.length;
    return isNext;
  }

  /** Passes over what a sticky expression matches here. */
  match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.at;
    const found = form.exec(this.text);
    if (found) this.at = form.lastIndex;
    return found;
  }

  /** What comes before the mark, which is passed over too; all the rest where there is no mark. */
  takeUntil(mark: string): string {
    const end = this.text.indexOf(mark, this.at);
    const found = this.text.slice(this.at, end < 0 ? undefined : end);
    this.at = end < 0 ? this.text.length : end + mark.length;
    return found;
  }
}
