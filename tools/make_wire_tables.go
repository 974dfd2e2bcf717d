//go:build ignore

// Writes src/drydock/wire_tables.inc: for every built-in Kubernetes type, how Go's encoding treats
// each field (pointer, omitempty, scalar kind, Go's name of a type). Reads the published API types by reflection.
//
// Run in a module that requires k8s.io/client-go, k8s.io/apiextensions-apiserver and
// k8s.io/kube-aggregator of the wanted version:  go run make_wire_tables.go > wire_tables.inc
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type field struct {
	name, form, kind string
	depth            int
	ref              reflect.Type
	goName, within   string // "v1.Protocol" for a string of that type; "VolumeSource"
}

var (
	order []reflect.Type
	index = map[reflect.Type]int{}
	rows  = map[reflect.Type][]field{}
)

func goName(t reflect.Type) string { return t.String() }

// The kind's letter and the struct it leads to.
func kindOf(t reflect.Type) (string, reflect.Type) {
	switch t.PkgPath() + "." + t.Name() {
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		return "kQuantity", nil
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Time":
		return "kTime", nil
	case "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":
		return "kMicroTime", nil
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Duration":
		return "kDuration", nil
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		return "kIntOrString", nil
	case "k8s.io/apimachinery/pkg/runtime.RawExtension", "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray":
		return "kAny", nil
	}
	switch t.Kind() {
	case reflect.String:
		return "kString", nil
	case reflect.Bool:
		return "kBool", nil
	case reflect.Int32:
		return "kInt32", nil
	case reflect.Int64, reflect.Int:
		return "kInt64", nil
	case reflect.Float64:
		return "kFloat64", nil
	case reflect.Uint8:
		return "kUint8", nil
	case reflect.Struct:
		return "kStruct", t
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "kBytes", nil
		}
		k, ref := kindOf(t.Elem())
		return "kListOf | " + k, ref
	case reflect.Map:
		k, ref := kindOf(t.Elem())
		if strings.HasPrefix(k, "kListOf") { // map[string][]string: extra of users
			return "kMapOf | kAny", nil
		}
		return "kMapOf | " + k, ref
	}
	return "kAny", nil
}

// Go's own name of a text, or of a map; "" where it has none.
func named(t reflect.Type) string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.PkgPath() == "" || (t.Kind() != reflect.String && t.Kind() != reflect.Map) {
		return ""
	}
	return goName(t)
}

func fieldsOf(t reflect.Type, depth int, within string) []field {
	var out []field
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		parts := strings.Split(f.Tag.Get("json"), ",")
		if parts[0] == "-" || f.PkgPath != "" {
			continue
		}
		inline, empty, zero := parts[0] == "" && f.Anonymous, false, false
		for _, o := range parts[1:] {
			inline = inline || o == "inline"
			empty = empty || o == "omitempty"
			zero = zero || o == "omitzero"
		}
		ft := f.Type
		if inline {
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			out = append(out, fieldsOf(ft, depth+1, f.Name)...)
			continue
		}
		form := "kAlways"
		switch {
		case ft.Kind() == reflect.Pointer && (empty || zero):
			form = "kPointer"
		case ft.Kind() == reflect.Pointer:
			form = "kPointerOrNull"
		case zero:
			form = "kOmitZero"
		case empty && ft.Kind() != reflect.Struct:
			form = "kOmitEmpty"
		}
		k, ref := kindOf(ft)
		out = append(out, field{parts[0], form, k, depth, ref, named(f.Type), within})
	}
	return out
}

func visit(t reflect.Type) {
	if _, seen := index[t]; seen {
		return
	}
	index[t] = len(order)
	order = append(order, t)
	fields := fieldsOf(t, 0, "")
	sort.SliceStable(fields, func(a, b int) bool {
		if fields[a].name != fields[b].name {
			return fields[a].name < fields[b].name
		}
		return fields[a].depth < fields[b].depth
	})
	var unique []field
	for _, f := range fields {
		if len(unique) == 0 || unique[len(unique)-1].name != f.name {
			unique = append(unique, f)
		}
	}
	rows[t] = unique
	for _, f := range unique {
		if f.ref != nil {
			visit(f.ref)
		}
	}
}

func main() {
	s := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, aggregator.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	type root struct {
		gvk schema.GroupVersionKind
		t   reflect.Type
	}
	var roots []root
	for gvk, t := range s.AllKnownTypes() {
		if gvk.Version == "__internal" || strings.HasSuffix(gvk.Kind, "List") ||
			strings.HasSuffix(t.PkgPath(), "meta/v1") && gvk.Kind != "PartialObjectMetadata" {
			continue
		}
		roots = append(roots, root{gvk, t})
	}
	sort.Slice(roots, func(a, b int) bool {
		x, y := roots[a].gvk, roots[b].gvk
		return x.Group+"\x00"+x.Version+"\x00"+x.Kind < y.Group+"\x00"+y.Version+"\x00"+y.Kind
	})
	for _, r := range roots {
		visit(r.t)
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	fmt.Fprintln(w, "// Generated by tools/make_wire_tables.go; do not edit.")
	fmt.Fprintln(w, "constexpr WireField kFields[] = {")
	first := []int{}
	n := 0
	names := []string{""}
	nameOf := func(name string) int {
		for i, known := range names {
			if known == name {
				return i
			}
		}
		names = append(names, name)
		return len(names) - 1
	}
	for _, t := range order {
		first = append(first, n)
		for _, f := range rows[t] {
			ref := nameOf(f.goName)
			if f.ref != nil {
				ref = index[f.ref]
			}
			fmt.Fprintf(w, "{%q,%s,%s,%d,%d},\n", f.name, f.form, strings.ReplaceAll(f.kind, " ", ""), ref, nameOf(f.within))
			n++
		}
	}
	fmt.Fprintln(w, "};\nconstexpr std::string_view kNames[] = {")
	for _, name := range names {
		fmt.Fprintf(w, "%q,\n", name)
	}
	fmt.Fprintln(w, "};\nconstexpr WireType kTypes[] = {")
	for i, t := range order {
		fmt.Fprintf(w, "{%q,%d,%d},\n", goName(t), first[i], len(rows[t]))
	}
	fmt.Fprintln(w, "};\nconstexpr WireRoot kRoots[] = {")
	for _, r := range roots {
		fmt.Fprintf(w, "{%q,%q,%q,%d},\n", r.gvk.Group, r.gvk.Version, r.gvk.Kind, index[r.t])
	}
	fmt.Fprintln(w, "};")
}
