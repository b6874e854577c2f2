/** A position in the text of a pattern. */
export class PatternCursor {
  position = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isDone(): boolean {
    return this.position >= this.text.length;
  }

  /** Returns the next code point and moves past it. Returns -1 at the end. */
  take(): number {
    const rune = this.text.codePointAt(this.position) ?? -1;
    this.position += rune > 0xffff ? 2 : 1;
    return rune;
  }

  startsWith(start: string): boolean {
    return this.text.startsWith(start, this.position);
  }

  /** Moves past the text if it comes next. */
  skip(start: string): boolean {
    const isNext = this.startsWith(start);
    if (isNext) this.position += start.length;
    return isNext;
  }

  /** Moves past the text that a sticky expression matches here. */
  match(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.position;
    const result = form.exec(this.text);
    if (result) this.position = form.lastIndex;
    return result;
  }

  /** Returns the text before the mark and moves past both. Returns the rest if there is no mark. */
  takeUntil(mark: string): string {
    // A cast, because a text always has a first part.
    const [part] = this.text.slice(this.position).split(mark, 1) as [string];
    this.position += part.length + mark.length;
    return part;
  }
}
