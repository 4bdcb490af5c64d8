/** Stands in for the package, which finds bare addresses in a text: the page does not use that, and Markdown asks for the class. */
export class LinkifyIt {}
