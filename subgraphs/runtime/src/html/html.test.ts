import { html } from "./html.js";

describe("html", () => {
  it("escapes what it is given, in text and in attributes", () => {
    const hostile = `"><script>alert('x')</script>&amp;`;
    expect(html`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;">&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;</p>',
    );
  });

  it("takes its own results as they are, lists one after the other, and leaves out what is not there", () => {
    expect(html`<ul>${["a", "<b>"].map((item) => html`<li>${item}</li>`)}</ul>${undefined}`.text).toBe(
      "<ul><li>a</li><li>&lt;b&gt;</li></ul>",
    );
  });

  it("does not take an object for HTML because it looks like it", () => {
    const forgery = JSON.parse('{"text":"<b>"}') as string;
    expect(() => html`${forgery}`.text).toThrow();
  });
});
