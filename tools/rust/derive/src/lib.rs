//! `#[derive(Element)]` of the crate gsort. It is written without `syn`, so that nothing else has to
//! be built: a struct is its attributes, its name, and fields between commas.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

type Result<T> = std::result::Result<T, (Span, String)>;

/// Implements `gsort::Element` for a struct.
#[proc_macro_derive(Element, attributes(sort_by))]
pub fn derive_element(item: TokenStream) -> TokenStream {
    parse(item).map_or_else(
        |(span, text)| {
            let code = format!("compile_error!({:?});", format!("gsort: {}", text));
            respan(code.parse().unwrap(), span)
        },
        |item| item.implement(),
    )
}

struct Item {
    name: Ident,
    fields: Vec<(Ident, TokenStream)>, // name, type
    keys: Vec<(TokenStream, bool)>,    // path, is descending
}

fn parse(item: TokenStream) -> Result<Item> {
    let mut tokens = item.into_iter();
    let (mut is_c, mut keys) = (false, Vec::new());
    loop {
        match tokens.next() {
            Some(TokenTree::Punct(hash)) if hash.as_char() == '#' => {
                if let Some(TokenTree::Group(attribute)) = tokens.next() {
                    is_c |= is_repr(&attribute);
                    keys.extend(keys_of(&attribute)?);
                }
            }
            Some(TokenTree::Ident(word)) if word.to_string() == "struct" => break,
            Some(TokenTree::Ident(word)) if ["enum", "union"].contains(&&*word.to_string()) => {
                return Err((word.span(), "only structs can be elements".to_string()))
            }
            Some(_) => {} // pub, pub(crate)
            None => return Err((Span::call_site(), "this is not a struct".to_string())),
        }
    }
    let name = match tokens.next() {
        Some(TokenTree::Ident(name)) => name,
        _ => return Err((Span::call_site(), "the struct has no name".to_string())),
    };
    let body = match tokens.next() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        _ => {
            let text = "an element is a struct with named fields and without parameters";
            return Err((name.span(), text.to_string()));
        }
    };
    if !is_c {
        let text = format!("{} needs #[repr(C)], which fixes the order of its fields", name);
        return Err((name.span(), text));
    }
    let fields = split(body.stream()).into_iter().map(field_of).collect::<Result<_>>()?;
    Ok(Item { name, fields, keys })
}

/// Returns whether an attribute is `repr(C)`, also with `packed`, or `repr(transparent)`.
fn is_repr(attribute: &Group) -> bool {
    let mut tokens = attribute.stream().into_iter();
    let name = tokens.next().map_or_else(String::new, |name| name.to_string());
    let words = tokens.next().map_or_else(String::new, |words| words.to_string());
    let mut words = words.split(|letter: char| !letter.is_alphanumeric());
    name == "repr" && words.any(|word| word == "C" || word == "transparent")
}

/// The keys of an attribute that is `sort_by(price desc, id)`.
fn keys_of(attribute: &Group) -> Result<Vec<(TokenStream, bool)>> {
    let mut tokens = attribute.stream().into_iter();
    let span = match tokens.next() {
        Some(TokenTree::Ident(name)) if name.to_string() == "sort_by" => name.span(),
        _ => return Ok(Vec::new()),
    };
    let keys = match tokens.next() {
        Some(TokenTree::Group(keys)) => split(keys.stream()),
        _ => Vec::new(),
    };
    if keys.is_empty() {
        return Err((span, "name the keys, as in #[sort_by(price desc, id)]".to_string()));
    }
    Ok(keys.into_iter().map(key_of).collect())
}

fn key_of(mut path: Vec<TokenTree>) -> (TokenStream, bool) {
    let is_desc = path.len() > 1 && path.last().map_or(false, |word| word.to_string() == "desc");
    if is_desc {
        let before = path[path.len() - 2].to_string();
        if before != "." {
            path.pop();
            return (path.into_iter().collect(), true);
        }
    }
    (path.into_iter().collect(), false)
}

/// The name and the type of a field: `#[doc] pub(crate) id: u64`.
fn field_of(tokens: Vec<TokenTree>) -> Result<(Ident, TokenStream)> {
    let colon =
        tokens.iter().position(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == ':'));
    match colon.and_then(|colon| Some((colon, tokens.get(colon.checked_sub(1)?)?))) {
        Some((colon, TokenTree::Ident(name))) => {
            Ok((name.clone(), tokens[colon + 1..].iter().cloned().collect()))
        }
        _ => Err((Span::call_site(), "this is not a field".to_string())),
    }
}

/// Splits at commas that are not in angle brackets.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 0);
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                '<' => depth += 1,
                '>' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(std::mem::take(&mut part));
                    continue;
                }
                _ => {}
            }
        }
        part.push(token);
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

impl Item {
    /// Writes the code, in which `hole_N` stands for tokens of the program. So the compiler shows a
    /// mistake where it is: a field that does not exist, a type that is no element.
    fn implement(self) -> TokenStream {
        let mut holes = vec![TokenStream::from(TokenTree::Ident(self.name.clone()))];
        let mut hole = |tokens: &TokenStream| {
            holes.push(tokens.clone());
            format!("hole_{}", holes.len() - 1)
        };
        let (mut fields, mut offset) = (String::new(), "0".to_string());
        for (name, of_type) in &self.fields {
            let of_type = hole(of_type);
            let name = name.to_string();
            fields += &format!(
                "::gsort::Field {{ name: {:?}, offset: {offset}, \
                 layout: <{of_type} as ::gsort::Element>::LAYOUT }},",
                name.trim_start_matches("r#"),
            );
            offset += &format!(" + ::core::mem::size_of::<{of_type}>()");
        }
        let (mut keys, mut uses) = (String::new(), String::new());
        for (path, is_desc) in &self.keys {
            let text: String = path.clone().into_iter().map(|token| token.to_string()).collect();
            keys += &format!("{:?},", text.replace("r#", "") + if *is_desc { " desc" } else { "" });
            uses += &format!("let _ = element.{};", hole(path));
        }
        let padded = format!(
            "gsort: {} has padding or no bytes; declare the padding, as in `_padding: [u8; 4]`, \
             or use #[repr(C, packed)]",
            self.name
        );
        let code = format!(
            "const _: () = {{
                unsafe impl ::gsort::Element for hole_0 {{
                    const LAYOUT: &'static ::gsort::Layout = &::gsort::Layout::Fields {{
                        fields: &[{fields}],
                        by: &[{keys}],
                    }};
                }}
                const BYTES: usize = {offset};
                assert!(::core::mem::size_of::<hole_0>() == BYTES && BYTES > 0, {padded:?});
                #[allow(dead_code, unused_variables)]
                fn keys_are_fields(element: &hole_0) {{ {uses} }}
            }};"
        );
        fill(code.parse().unwrap(), &holes)
    }
}

/// Replaces each `hole_N`.
fn fill(code: TokenStream, holes: &[TokenStream]) -> TokenStream {
    let replace = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let inner = fill(group.stream(), holes);
            TokenStream::from(TokenTree::Group(Group::new(group.delimiter(), inner)))
        }
        TokenTree::Ident(word) => match word.to_string().strip_prefix("hole_") {
            Some(number) => holes[number.parse::<usize>().unwrap()].clone(),
            None => TokenTree::Ident(word).into(),
        },
        other => other.into(),
    };
    code.into_iter().map(replace).collect()
}

/// Moves code to a place of the program, where the compiler then shows an error.
fn respan(code: TokenStream, span: Span) -> TokenStream {
    let place = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    code.into_iter().map(place).collect()
}
