# What `Scripts/api` and `Scripts/docs` know about the symbol graphs of the compiler.

def declaration: [.declarationFragments[].spelling] | add | gsub("\\s+"; " ");

def isType: .kind.identifier | test("swift\\.(struct|class|enum|protocol|actor)$");

# Adds `isForCompiler` to each symbol: whether it is public only for the compiler. Its name begins with an
# underscore, it is a method of a result builder, or its documentation says "programs do not use it
# directly"; and so are the members of such a type.
def markedForCompiler:
  def owner: .pathComponents[:-1] | join(".");
  def isMarked:
    (.pathComponents | any(test("(^|[(:])_[A-Za-z]")))
      or ([.docComment.lines[]?.text] | join(" ") | test("programs do not use it directly"));
  (map(select(isType) | {key: (.pathComponents | join(".")), value: declaration}) | from_entries) as $types
    | (map(select(isType and isMarked) | {key: (.pathComponents | join(".")), value: true})
        | from_entries) as $marked
    | map(owner as $owner | .isForCompiler = (
        isMarked or ($marked[$owner] // false)
          or ((.pathComponents[-1] | startswith("build")) and ($types[$owner] // "" | test("@resultBuilder")))));

# Whether a declaration exists only so that the compiler can say what to write instead.
def isForMessages:
  [.docComment.lines[]?.text] | join(" ") | test("^Not available[:.]|[Pp]rograms do not use (it|the protocol) directly");
